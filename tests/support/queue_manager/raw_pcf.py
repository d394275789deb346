"""PCF commands written byte by byte, odd ones above all, and what Hypothesis draws of them."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from hypothesis import strategies as st

from mqbridge.bridge.agents.command_server.identifiers import IDENTIFIERS
from mqbridge.bridge.agents.command_server.requests import REQUESTS
from mqbridge.protocol.constants import MQCFT, MQCMD, MQIACF

COMMANDS = sorted({*map(int, REQUESTS), int(MQCMD.ESCAPE)})
KNOWN = sorted(
    {int(number) for numbers in IDENTIFIERS.values() for number in numbers.values()}
    | {int(number) for each in REQUESTS.values() for number in (*each.name, *each.options, *each.flags)}
    | {each.shows for each in REQUESTS.values() if each.shows}
)
TEXTS = (
    b"*", b"A", b"A*", b"DEV.QUEUE.1", b"SYSTEM.DEF.SENDER", b"SYSTEM.DEF.SVRCONN", b"DEV.APP.SVRCONN", b"EARTH",
    b"SYSTEM.BASE.TOPIC", b"a'b", b"", b" ", b"\0x", b"\xff\xfe", b"\xc3\xa9", b"x" * 300,
)  # fmt: skip
_WORD = struct.Struct(">i")


def words(*numbers: int) -> bytes:
    return b"".join(map(_WORD.pack, numbers))


def raw_parameter(kind: int, number: int, payload: bytes, inner: Sequence[bytes] = ()) -> bytes:
    """A parameter of any type with anything in it, filled up to a multiple of 4 bytes; ``inner``: of a group."""
    payload += bytes(-len(payload) % 4)
    return words(kind, 12 + len(payload), number) + payload + b"".join(inner)


def raw_text(number: int, text: bytes, ccsid: int = 0) -> bytes:
    return raw_parameter(MQCFT.STRING, number, words(ccsid, len(text)) + text)


def raw_command(command: int, parameters: Sequence[bytes], count: int | None = None, kind: int = 1) -> bytes:
    """A message in big-endian; ``count``: of parameters, where it is to be wrong."""
    number = len(parameters) if count is None else count
    return words(kind, 36, 3, command, 1, 1, 0, 0, number) + b"".join(parameters)


ids = st.one_of(st.sampled_from(KNOWN), st.integers(0, 9000), st.integers(-(2**31), 2**31 - 1))
numbers = st.one_of(st.integers(-5, 40), st.sampled_from([*KNOWN, int(MQIACF.ALL)]), st.integers(-(2**31), 2**31 - 1))
texts = st.one_of(st.sampled_from(TEXTS), st.binary(max_size=60))
ccsids = st.sampled_from([0, 1208, 500, 819, 1200, 99999, -3])
_OTHER = [*range(-1, 3), 7, 8, *range(10, 13), 16, 17, 18, 19, 21, 22, 24, 26, 27, 99]


@st.composite
def raw_parameters(draw: st.DrawFn, depth: int = 0) -> bytes:
    """One parameter: of a type that there is, with an id of any kind, or of another type."""
    number, kind = draw(ids), draw(st.sampled_from([3, 4, 5, 6, 9, 13, 14, 15, 20, 23, 25, 0]))
    text = draw(texts)
    if kind in (5, 25):
        given = draw(st.lists(numbers, max_size=4))
        return raw_parameter(kind, number, words(len(given)) + struct.pack(f">{len(given)}{'iq'[kind == 25]}", *given))
    if kind == 6:
        length, given_texts = draw(st.integers(0, 30)), draw(st.lists(texts, max_size=3))
        listed = b"".join(each[:length].ljust(length) for each in given_texts)
        return raw_parameter(kind, number, words(draw(ccsids), len(given_texts), length) + listed)
    if kind == 20:
        inner = draw(st.lists(raw_parameters(depth + 1), max_size=2)) if depth < 3 else []
        return raw_parameter(kind, number, words(len(inner)), inner)
    payloads = {
        3: lambda: words(draw(numbers)),
        4: lambda: words(draw(ccsids), len(text)) + text,
        9: lambda: words(len(text)) + text,
        13: lambda: words(draw(st.integers(0, 30)), draw(numbers)),
        14: lambda: words(draw(st.integers(0, 30)), draw(ccsids), len(text)) + text,
        15: lambda: words(draw(st.integers(0, 30)), len(text)) + text,
        23: lambda: words(0) + struct.pack(">q", draw(numbers)),
        0: lambda: draw(st.binary(max_size=12)),
    }
    return raw_parameter(kind or draw(st.sampled_from(_OTHER)), number, payloads[kind]())
