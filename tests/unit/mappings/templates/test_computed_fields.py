"""Computed fields: lengths, sequences that wrap, copies, times, checksums of known values; names of values and bits."""

from __future__ import annotations

import pytest

from mqbridge.mappings.templates import BuildError, Counters, Protocol, no_values, read_protocol
from mqbridge.mappings.templates.transaction import Transaction
from support.templates.thesis import NOW, context

HEAD = '[protocol]\nname = "p"\n[framing]\nkind = "close"\n[[transaction]]\nname = "a"\nfield = [\n'


def transaction(*fields: str) -> Transaction:
    protocol: Protocol = read_protocol(HEAD + "".join(f"{{ {field} }},\n" for field in fields) + "]\n", "p.toml")
    return protocol.transactions["a"]


@pytest.mark.spec("M-164")
@pytest.mark.parametrize(
    ("method", "length", "expected"),
    [
        ("md5", 16, "25f9e794323b453885f5181f1b624d0b"),
        ("crc32", 4, "cbf43926"),
        ("sum8", 1, "dd"),
        ("sum16", 2, "01dd"),
        ("xor", 1, "31"),
        ("internet", 2, "f62a"),
    ],
)
def test_checksums(method: str, length: int, expected: str) -> None:
    check = f'compute = {{ kind = "checksum", method = "{method}", from = {length}'
    data = 'name = "data", length = 9'
    kind = transaction(f'name = "sum", length = {length}, {check} }}', data)
    assert kind.build({"data": b"123456789"}, context()) == bytes.fromhex(expected) + b"123456789"
    digits = transaction(
        f'name = "sum", length = {2 * length}, type = "hex", {check.replace(str(length), "-9")} }}', data
    )
    assert digits.build({"data": b"123456789"}, context()) == expected.encode() + b"123456789"


@pytest.mark.spec("M-164")
def test_a_checksum_over_itself_counts_itself_as_zeros() -> None:
    kind = transaction(
        'name = "sum", length = 2, type = "unsigned", compute = { kind = "checksum", method = "internet" }',
        'name = "data", length = 4',
    )
    packet = kind.build({"data": b"\x01\x02\x03\x04"}, context())
    assert packet == b"\xfb\xf9\x01\x02\x03\x04"


@pytest.mark.spec("M-164")
def test_sequences_wrap_and_share_counters() -> None:
    sequence = 'type = "unsigned", length = 1, compute = { kind = "sequence", counter = "c", first = 5, last = 7 }'
    kind = transaction(f'name = "one", {sequence}', f'name = "two", {sequence}')
    counters = Counters()
    found = [kind.build({}, context()._replace(counters=counters)) for _ in range(3)]
    assert found == [b"\5\6", b"\7\5", b"\6\7"]
    assert counters.numbers == {"c": 7}


@pytest.mark.spec("M-164")
def test_lengths_times_and_copies() -> None:
    kind = transaction(
        'name = "words", type = "base128", compute = { kind = "length", of = { from = 1 }, unit = 2, plus = 1 }',
        'name = "now", type = "packed", sign = false, length = 5, compute = "time"',
        'name = "id", length = 3, compute = { kind = "copy", field = "theirs" }',
        'name = "data", length = "rest"',
    )
    request = no_values("request", theirs=b"abc")
    packet = kind.build({"data": b"12"}, context(request))
    assert packet == bytes([6]) + bytes.fromhex(str(int(NOW))) + b"abc12"
    with pytest.raises(BuildError, match="no multiple of 2"):
        kind.build({"data": b"1"}, context(request))
    with pytest.raises(BuildError, match="no request with 'theirs' to copy from"):
        kind.build({"data": b"12"}, context())
    with pytest.raises(BuildError, match=r"a\.data: no value is given"):
        transaction('name = "data", length = 2').build({}, context())


@pytest.mark.spec("M-162")
def test_a_length_that_is_given_and_wrong_is_refused() -> None:
    kind = transaction(
        'name = "count", length = 2, type = "decimal"',
        'name = "data", length = { field = "count", unit = 2, plus = 2 }',
    )
    assert kind.build({"data": b"123456"}, context()) == b"02123456"
    with pytest.raises(BuildError, match="3 is not the length of 'data'"):
        kind.build({"data": b"123456", "count": 3}, context())


def test_names_of_values_and_bits() -> None:
    kind = transaction(
        'name = "kind", length = 1, type = "unsigned", values = { request = 1 }',
        'name = "flags", length = 1, type = "unsigned", flags = { urgent = 0x80, last = 1 }',
    )
    assert [kind.fields["kind"].shown(value) for value in (1, 2)] == ["request", ""]
    assert [kind.fields["flags"].shown(value) for value in (0x81, 0x84, 0)] == ["urgent last", "urgent 0x4", ""]
