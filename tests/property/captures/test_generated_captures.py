"""What is generated is what our reader finds, on every link, under noise; its packets are those that scapy makes."""

from __future__ import annotations

import io
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.captures import CapturedSegment, Endpoint, read_segments
from mqbridge.captures.generate import (
    Builder,
    ChannelTraffic,
    ClientTraffic,
    LinkType,
    MadeCapture,
    Noise,
    Scenario,
    from_the_middle,
    lossy,
    packet_template,
    without,
)
from mqbridge.captures.reading.link_layers import ACK, PSH
from mqbridge.protocol.direction import Direction


def found(made: MadeCapture) -> list[tuple[object, ...]]:
    segments = read_segments(io.BytesIO(made.data))
    rows = []
    for one in segments:
        assert isinstance(one, CapturedSegment), one
        segment = one.segment
        rows.append((one.flow.id, one.direction.value, one.offset, segment.length, segment.type, one.packet))
    assert segments.flows.error is None
    assert not segments.flows.unread
    assert segments.flows.packets == len(made.packets)
    return sorted(rows)


def true(made: MadeCapture) -> list[tuple[object, ...]]:
    return sorted(
        (one.flow, one.direction.value, one.offset, one.length, one.type, one.packet) for one in made.truth.segments
    )


@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize("link", list(LinkType))
def test_our_reader_finds_the_truth_on_every_link(link: LinkType, ipv6: bool) -> None:
    made = Scenario(link=link, ipv6=ipv6, clients=(ClientTraffic(puts=(10, 70_000), gets=2),)).build()
    assert len(made.truth.segments) > 20
    assert found(made) == true(made)


@given(
    seed=st.integers(0, 1 << 30),
    segment_size=st.integers(30, 3000),
    coalesce=st.booleans(),
    duplicate=st.sampled_from((0.0, 0.2, 1.0)),
    reorder=st.sampled_from((0.0, 0.3, 0.8)),
)
@settings(max_examples=40, deadline=None)
def test_noise_and_segmentation_change_nothing(
    seed: int, segment_size: int, coalesce: bool, duplicate: float, reorder: float
) -> None:
    made = Scenario(
        seed=seed,
        segment_size=segment_size,
        coalesce=coalesce,
        duplicate=duplicate,
        reorder=reorder,
        channels=(ChannelTraffic(sizes=(10, 5_000, 40_000, 0), batch_size=2),),
        clients=(ClientTraffic(puts=(1, 4_000), gets=2, browses=1),),
    ).build()
    assert found(made) == true(made)


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert Scenario(seed=5).build().data == Scenario(seed=5).build().data
    assert Scenario(seed=5).build().data != Scenario(seed=6).build().data


def test_truth_counts_messages_and_batches() -> None:
    made = Scenario(
        channels=(ChannelTraffic(sizes=(10,) * 7, batch_size=3),), clients=(ClientTraffic(puts=(5, 5), gets=1),)
    ).build()
    assert [(flow.messages, flow.batches) for flow in made.truth.flows] == [(7, 3), (3, 0)]


def test_marks_name_the_packets_of_their_line() -> None:
    builder = Builder(noise=Noise(duplicate=1.0), segment_size=1000)
    conversation = builder.channel(ChannelTraffic(sizes=(10, 5_000)))
    conversation.mark(conversation.find(4, nth=1))
    made = builder.build()
    (place,) = made.truth.places
    first, last = made.packets[place.first - 1], made.packets[place.last - 1]
    assert (first.direction, last.direction) == (Direction.INITIATOR, Direction.INITIATOR)
    assert place.last - place.first >= 10  # six packets, each twice
    assert found(made) == true(made)


def test_faults_take_packets_away() -> None:
    made = Scenario(channels=(ChannelTraffic(sizes=(3_000,) * 20),), clients=()).build()
    lost = lossy(made.packets, Random(1), 0.3)
    assert 0 < len(lost) < len(made.packets)
    assert all(packet.length for packet in made.packets if packet not in lost)
    assert len(without(made.packets, (1, 2))) == len(made.packets) - 2
    assert from_the_middle(made.packets, 0.5)[0] is made.packets[len(made.packets) // 2]


@pytest.mark.parametrize("link", list(LinkType))
@pytest.mark.parametrize("addresses", [("10.0.0.1", "10.255.255.254"), ("fd00::1", "fe80::ffff:1")])
@given(
    payload=st.binary(max_size=100),
    sequence=st.integers(0, 0xFFFFFFFF),
    acknowledgement=st.integers(0, 0xFFFFFFFF),
    ports=st.tuples(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF)),
)
@settings(max_examples=20, deadline=None)
def test_templates_equal_scapy(
    link: LinkType,
    addresses: tuple[str, str],
    payload: bytes,
    sequence: int,
    acknowledgement: int,
    ports: tuple[int, int],
) -> None:
    layers = pytest.importorskip("scapy.layers.inet")
    v6 = pytest.importorskip("scapy.layers.inet6")
    lower = pytest.importorskip("scapy.layers.l2")
    source, target = Endpoint(addresses[0], ports[0]), Endpoint(addresses[1], ports[1])
    template = packet_template(link, Direction.INITIATOR, source, target)
    made = template.packet(sequence, acknowledgement, ACK | PSH, payload)
    here, there = "02:00:00:00:00:01", "02:00:00:00:00:02"
    below = {
        LinkType.ETHERNET: lambda: lower.Ether(src=here, dst=there),
        LinkType.VLAN: lambda: lower.Ether(src=here, dst=there) / lower.Dot1Q(vlan=14),
        LinkType.QINQ: lambda: lower.Ether(src=here, dst=there) / lower.Dot1AD(vlan=1414) / lower.Dot1Q(vlan=14),
        LinkType.COOKED: lambda: lower.CookedLinux(pkttype=0, lladdrtype=1, lladdrlen=6, src=b"\2\0\0\0\0\1\0\0"),
        LinkType.COOKED_2: lambda: lower.CookedLinuxV2(
            ifindex=2, lladdrtype=1, pkttype=0, lladdrlen=6, src=b"\2\0\0\0\0\1\0\0"
        ),
        LinkType.RAW: lambda: None,
        LinkType.NULL: lambda: lower.Loopback(type=2 if ":" not in source.address else 30),
    }[link]()
    if ":" in source.address:
        packet = v6.IPv6(src=source.address, dst=target.address, hlim=64, fl=0, tc=0)
    else:
        packet = layers.IP(src=source.address, dst=target.address, id=0, flags="DF", ttl=64)
    packet /= layers.TCP(
        sport=source.port, dport=target.port, seq=sequence, ack=acknowledgement, flags="PA", window=65_535
    )
    packet /= payload
    theirs = bytes(packet if below is None else below / packet)
    assert made == theirs
