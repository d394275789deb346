"""Any run of headers is followed to its body, and gives back its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.chain import walk, walk_unknown
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import StructureError
from support.captures.header_strategies import HEADERS, chains

Drawn = tuple[str, int, int, bytes, list[str], bytes, str]


def expected_names(names: list[str]) -> list[str]:
    return [part for name in names for part in (("XQH", "MD") if name == "XQH" else (name,))]


@given(chains())
@pytest.mark.spec("mq-wire.md 5.15")
def test_any_run_of_headers_leads_to_the_body(drawn: Drawn) -> None:
    format_name, encoding, ccsid, data, names, body, body_format = drawn
    chain = walk(format_name, encoding, ccsid, data)
    assert chain.stopped is None
    assert [link.name for link in chain.links] == expected_names(names)
    assert (chain.body, chain.body_format) == (body, body_format)
    assert chain.build() == data
    assert b"".join(chain.bytes_of(link) for link in chain.links) + chain.body == data
    for link in chain.links:
        assert link.header.build() == chain.bytes_of(link)


@given(chains(), st.data())
@pytest.mark.spec("mq-wire.md 5.15")
def test_a_cut_chain_stops_inside_a_header_and_loses_nothing(drawn: Drawn, data: st.DataObject) -> None:
    format_name, encoding, ccsid, whole, _, _, _ = drawn
    full = walk(format_name, encoding, ccsid, whole)
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    chain = walk(format_name, encoding, ccsid, cut)
    assert chain.build() == cut
    complete = [link for link in full.links if link.end <= len(cut)]
    assert [link.name for link in chain.links] == [link.name for link in complete]
    if len(complete) < len(full.links):
        assert isinstance(chain.stopped, StructureError)
        assert 0 <= chain.stopped.offset <= len(cut)
    else:
        assert chain.stopped is None


@given(chains(), st.data())
def test_a_damaged_chain_gives_back_its_bytes(drawn: Drawn, data: st.DataObject) -> None:
    format_name, encoding, ccsid, whole, _, _, _ = drawn
    raw = bytearray(whole)
    for _ in range(data.draw(st.integers(0, 3)) if raw else 0):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    chain = walk(format_name, encoding, ccsid, raw)
    assert chain.build() == raw
    assert chain.body_offset <= len(raw)


@given(st.sampled_from([name for name in HEADERS if name != "RFH"]), st.data(), st.booleans())
def test_a_header_is_found_by_its_identifier(name: str, data: st.DataObject, ebcdic: bool) -> None:
    order = data.draw(st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE]))
    header = data.draw(HEADERS[name][1](order, ebcdic))
    if "format" in header.record.KEYS:
        header.record.format = b" " * 8
        header.record.encoding = 0
    chain = walk_unknown(header.build() + b"body")
    assert [(link.name, link.header.build()) for link in chain.links] == [(name, header.build())]
    assert chain.body == b"body"
