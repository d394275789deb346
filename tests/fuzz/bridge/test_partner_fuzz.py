"""Whatever a host says: nothing is raised, nothing is put that was not a notice, and no message is lost."""

from __future__ import annotations

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.mappings.templates.session import MAX_UNREAD
from support.partners.old_host import ANSWER, HEARTBEAT, NOTICE, REFUSAL, WELCOME, ebcdic, packet
from support.partners.stand import DEAD, INPUT, REQUESTS, PartnerStand

_NOTICE = packet(NOTICE, struct.pack(">I", 7) + ebcdic("stock is low"))
_KNOWN = st.sampled_from(
    [packet(WELCOME), packet(ANSWER, bytes(10)), packet(REFUSAL, bytes(9)), _NOTICE, packet(HEARTBEAT), packet(0x77)]
)
_SAID = st.lists(st.one_of(_KNOWN, st.binary(max_size=40)), max_size=12)


@settings(max_examples=60, deadline=None)
@given(_SAID, st.integers(0, 30), st.booleans())
def test_a_host_may_say_anything(said: list[bytes], cut: int, damaged: bool):
    stand = PartnerStand()
    stand.put_text("two apples")
    stand.put_text("pears")
    stand.begin()
    stream = packet(WELCOME) + b"".join(said)
    if damaged and len(stream) > cut:
        stream = stream[:cut] + bytes([stream[cut] ^ 0xFF]) + stream[cut + 1 :]
    for start in range(0, len(stream), 7):
        if stand.driver is None or stand.closes:
            break
        stand.hears(stream[start : start + 7])
    if stand.driver is not None:
        stand.cut()
    notices = [message for message in stand.contents(INPUT) if message.data.endswith(b"stock is low")]
    assert len(notices) <= said.count(_NOTICE) + 1
    left = stand.depth(REQUESTS) + stand.hidden(REQUESTS)
    assert left + stand.depth(DEAD) + stand.partner.counts.sent >= 2


def test_a_host_that_floods_while_a_queue_is_full_is_not_kept_in_memory():
    stand = PartnerStand()
    stand.alter(INPUT, MAXDEPTH=1)
    stand.begin()
    stand.hears(packet(WELCOME))
    assert stand.driver is not None
    for number in range(2):
        stand.hears(packet(NOTICE, struct.pack(">I", number) + ebcdic("x")))
    assert stand.driver.paused, "nothing more is read"
    stand.driver.conversation.receive_data(bytes(stand.protocol.most + MAX_UNREAD + 1), stand.now)
    stand.driver.turn_ends()
    stand.pump()
    assert stand.closes
