"""Our client takes what a queue manager says in any pieces: the same events, the same calls, the same bytes back."""

from __future__ import annotations

from itertools import cycle
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.protocol.constants import MQGMO, ByteOrder
from mqbridge.protocol.mqi_client import Call, Connected, GetParameters, ObjectName
from mqbridge.protocol.structures.md import MD
from support.clients.pair import ClientPair, client_pair

SHAPES = st.fixed_dictionaries(
    {
        "shared_conversations": st.sampled_from([0, 1]),
        "order": st.sampled_from(ByteOrder),
        "transmission_size": st.sampled_from([1100, 4096, 32_748]),
        "fap_level": st.sampled_from([9, 12, 17]),
    }
)


def conversation(shape: dict[str, Any], sizes: list[int], cuts: list[int] | None) -> tuple[ClientPair, list[Any]]:
    """Connect, put and get messages of these sizes, disconnect; what happened."""
    pair = client_pair(server=shape, cuts=None if cuts is None else cycle(cuts))
    pair.pump()
    client, now = pair.client, pair.now
    pair.done(client.calls.open(ObjectName(name="Q"), 1, now))
    seen: list[Any] = []
    for size in sizes:
        descriptor = MD.codec(client.link.wire.writer.order)(version=2).build()
        pair.done(client.calls.put(2, descriptor, bytes(range(256)) * (size // 256) + bytes(size % 256), 0, now))
        call = pair.done(client.calls.get(2, GetParameters(options=int(MQGMO.WAIT), wait=9), now))
        assert call.message is not None
        seen.append((call.reason, call.message.descriptor, call.message.data, call.message.token))
    pair.done(client.calls.disconnect(now))
    events = [type(event).__name__ for event in pair.client_events if isinstance(event, Call | Connected)]
    return pair, [*seen, events]


@given(
    SHAPES, st.lists(st.sampled_from([0, 1, 700, 5000, 70_000]), max_size=3), st.lists(st.integers(1, 5000), min_size=1)
)
@settings(max_examples=40)
def test_where_the_stream_is_cut_does_not_matter(shape: dict[str, Any], sizes: list[int], cuts: list[int]) -> None:
    whole, seen = conversation(shape, sizes, None)
    cut, again = conversation(shape, sizes, cuts)
    assert again == seen
    assert cut.sent == whole.sent


@given(st.binary(max_size=300), st.text(max_size=40), st.integers(0, 9))
@settings(max_examples=40)
def test_any_body_comes_back(data: bytes, name: str, priority: int) -> None:
    pair = client_pair()
    pair.pump()
    descriptor = MD.codec(ByteOrder.LITTLE)(
        version=2, priority=priority, correl_id=name.encode()[:24].ljust(24, b"\0")
    ).build()
    pair.done(pair.client.calls.put(2, descriptor, data, 0, pair.now))
    assert pair.queue[0][1] == data
    assert pair.queue[0][0][72:96] == descriptor[72:96]
