"""Any bytes as descriptor, MQRFH2 and body give a JMS message or `JmsFormatError`, soon."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.jms import JmsFormatError, JmsMessage
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from support.jms.recorded import recorded

SECONDS = 5.0
"""Of processor time for all parts of one message."""
SEEDS = [each.message for each in (*recorded("written.jsonl"), *recorded("read.jsonl")) if len(each.message) < 2000]
DOMAINS = ("text", "bytes", "map", "stream", "object", "none")


def touch(message: Message, destination: str | None = None) -> None:
    """Ask for every part."""
    started = time.process_time()
    jms = JmsMessage.of(message, destination, now=1_700_000_000.0)
    for part in ("kind", "headers", "properties", "provider_properties", "body"):
        fault = ""
        try:
            getattr(jms, part)
        except JmsFormatError as error:
            fault = str(error)
        assert len(fault) < 400
    assert time.process_time() - started < SECONDS


@pytest.mark.spec("jms-mapping.md 4.2")
@given(st.sampled_from(SEEDS), st.data())
def test_damaged_messages(message: Message, data: st.DataObject) -> None:
    raw, body = bytearray(message.raw_md), bytearray(message.data)
    for _ in range(data.draw(st.integers(1, 4))):
        target = body if body and data.draw(st.integers(0, 9)) else raw
        target[data.draw(st.integers(0, len(target) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(body)))
    touch(Message(bytes(raw), bytes(body[: cut or None]), order=message.order, ccsid=message.ccsid), data.draw(WAYS))


WAYS = st.sampled_from([None, "queue:///Q?mdReadEnabled=true", "queue:///Q?messageBody=1"])


@given(
    st.sampled_from(DOMAINS),
    st.sampled_from([1208, 37, 1200, 943, 0, -2, 7777]),
    st.one_of(
        st.binary(max_size=80),
        st.text("<>/='\" &;#xmapstreltdin12name:\0\n", max_size=80).map(str.encode),
        st.lists(
            st.sampled_from(
                [
                    b"<map>",
                    b"</map>",
                    b"<stream>",
                    b"</stream>",
                    b"<elt name=\"a\" dt='i4'>5</elt>",
                    b"<elt>",
                    b"</elt>",
                    b"x",
                ]
            ),
            max_size=8,
        ).map(b"".join),
    ),
)
def test_any_body(kind: str, ccsid: int, body: bytes) -> None:
    folder = f"<mcd><Msd>jms_{kind}</Msd></mcd>".encode()
    folder += b" " * (-len(folder) % 4)
    size = 36 + 4 + len(folder)
    header = b"".join(
        (
            b"RFH ",
            *(number.to_bytes(4, "big", signed=True) for number in (2, size, 273, ccsid)),
            b"MQSTR   ",
            *(number.to_bytes(4, "big") for number in (0, 1208, len(folder))),
            folder,
        )
    )
    touch(
        Message.build(
            header + body, order=ByteOrder.BIG, ccsid=1208, format="MQHRF2", encoding=273, coded_char_set_id=1208
        )
    )


@pytest.mark.parametrize(
    ("front", "repeated", "end"),
    [
        (b"<map>", b"<elt name=", b"</map>"),
        (b"<map>", b"<elt name=\"a\" dt='i4'>5</elt>", b"<elt></map>"),
        (b"<map>", b"<a b='", b"</map>"),
        (b"<map>", b"<a>", b"</map>"),
        (b"<map>", b" ", b"</map>"),
        (b"<map>", b"&amp;", b"</map>"),
        (b"<stream>", b"<elt", b"</stream>"),
        (b"<stream>", b"<elt>" + b"&#" * 10, b"</elt></stream>"),
    ],
)
def test_long_bodies_take_time_in_proportion(front: bytes, repeated: bytes, end: bytes) -> None:
    kind = "stream" if front == b"<stream>" else "map"
    body = front + repeated * (200_000 // len(repeated)) + end
    message = JmsMessage(kind).message("queue:///Q", now=1_700_000_000.0)
    place = message.data.index(front)
    touch(message.copy(message.data[:place] + body))
