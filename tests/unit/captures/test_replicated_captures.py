"""Repeated conversations are whole connections of their own, with numbers and ids that go on."""

from __future__ import annotations

import io
from collections import defaultdict

import pytest

from mqbridge.captures import CapturedSegment, PacketReader, read_flows, read_segments
from mqbridge.captures.generate import Builder, ChannelTraffic, ClientTraffic, LinkType, Replica
from mqbridge.captures.recording.packet_template import checksum_part
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.structures.message_headers import MESSAGE_HEADERS


def replica(*, ipv6: bool = False, segment_size: int = 1460, link: LinkType = LinkType.RAW) -> Replica:
    builder = Builder(4, ipv6=ipv6)
    builder.channel(
        ChannelTraffic(sizes=(10, 3_000, 50), batch_size=2, order=ByteOrder.BIG if ipv6 else ByteOrder.LITTLE)
    )
    builder.client(ClientTraffic(puts=(10,), gets=1))
    return Replica(builder.connections, link=link, segment_size=segment_size)


@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize("segment_size", [61, 1460])
def test_every_copy_is_read_whole_and_numbers_go_on(ipv6: bool, segment_size: int) -> None:
    file = io.BytesIO()
    written = replica(ipv6=ipv6, segment_size=segment_size).write(file, packets=3_000)
    assert written.size == len(file.getvalue())
    assert written.packets >= 3_000
    numbers = defaultdict(list)
    ids, luwids = set(), set()
    found = list(read_segments(io.BytesIO(file.getvalue())))
    assert len(found) == written.segments
    for one in found:
        assert isinstance(one, CapturedSegment)
        segment = one.segment
        if segment.type == SegmentType.MESSAGE_DATA:
            headers = MESSAGE_HEADERS.codec(segment.order).parse(segment.buffer, segment.body_start)
            numbers[one.flow.id].append(headers.msh_sequence_number)
            ids.add(headers.md_msg_id)
            luwids.add(segment.luwid)
    channels = written.flows // 2
    assert len(numbers) == channels
    assert sorted(number for own in numbers.values() for number in own) == list(range(1, 3 * channels + 1))
    assert len(ids) == 3 * channels
    assert len(luwids) == 2 * channels


def test_checksums_are_right() -> None:
    file = io.BytesIO()
    replica(segment_size=200).write(file, packets=1_000)
    for packet in PacketReader(io.BytesIO(file.getvalue())):
        header, tcp = packet.data[:20], packet.data[20:]
        assert checksum_part(header) == 0
        assert (checksum_part(header[12:20] + tcp) + 6 + len(tcp)) % 0xFFFF == 0


def test_a_size_is_reached_and_flows_are_counted() -> None:
    file = io.BytesIO()
    written = replica(link=LinkType.ETHERNET).write(file, size=300_000)
    assert 300_000 <= written.size == len(file.getvalue()) < 600_000
    flows = {event.flow.id for event in read_flows(io.BytesIO(file.getvalue()))}
    assert len(flows) == written.flows
    packets = list(PacketReader(io.BytesIO(file.getvalue())))
    assert [packet.time for packet in packets] == sorted(packet.time for packet in packets)
    assert packets[-1].time - packets[0].time <= written.seconds


def test_either_a_size_or_a_number_is_needed() -> None:
    with pytest.raises(ValueError, match="either"):
        replica().write(io.BytesIO())
    with pytest.raises(ValueError, match="no connection"):
        Replica([])
