"""Rate of generating captures from templates, beside scapy, which makes the same packets of the same payloads.

    python bench/captures_generate.py            the table
    python bench/captures_generate.py --full     more packets

A message channel and a client are recorded once; their packets are repeated with other ports, sequence numbers,
message ids and LUWIDs, and correct checksums. scapy builds Ethernet, IP and TCP around the same payloads.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from pathlib import Path
from socket import inet_ntoa

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from figures import figure
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from mqbridge.captures import CapturedSegment, read_segments
from mqbridge.captures.generate import Builder, ChannelTraffic, ClientTraffic, Replica
from mqbridge.captures.reading.link_layers import TcpSegment, read_tcp
from mqbridge.captures.reading.packets import PacketReader

TO_REACH_PER_SECOND = 100_000
SCAPY_PACKETS = 1_000


def recorded() -> Builder:
    """The recorded traffic."""
    builder = Builder(1)
    builder.channel(ChannelTraffic(sizes=(200, 1_000, 4_000) * 10, batch_size=10))
    builder.client(ClientTraffic(puts=(200, 1_000, 4_000) * 5, gets=15))
    return builder


def by_templates(replica: Replica, packets: int) -> tuple[float, bytes]:
    """Packets per second, and the file."""
    file = io.BytesIO()
    start = time.perf_counter()
    written = replica.write(file, packets=packets)
    return written.packets / (time.perf_counter() - start), file.getvalue()


def check(replica: Replica) -> int:
    """Check that our reader finds every segment of a short file, without errors. Returns their number."""
    file = io.BytesIO()
    written = replica.write(file, packets=5_000)
    found = list(read_segments(io.BytesIO(file.getvalue())))
    assert len(found) == written.segments
    assert all(isinstance(one, CapturedSegment) for one in found)
    return len(found)


def by_scapy(capture: bytes) -> float:
    """Packets per second; the packets must be those of the file."""
    samples: list[tuple[bytes, TcpSegment, str, str]] = []
    for packet in PacketReader(io.BytesIO(capture)):
        segment = read_tcp(packet.link_type, packet.data)
        if isinstance(segment, TcpSegment) and not segment.flags & 0x02:
            samples.append((packet.data, segment, inet_ntoa(segment.source), inet_ntoa(segment.destination)))
        if len(samples) == SCAPY_PACKETS:
            break
    start = time.perf_counter()
    built = [
        bytes(
            Ether(dst=data[:6], src=data[6:12])
            / IP(src=source, dst=destination, id=0, flags="DF", ttl=64)
            / TCP(
                sport=segment.source_port,
                dport=segment.destination_port,
                seq=segment.sequence,
                ack=segment.acknowledgement,
                flags=segment.flags,
                window=65_535,
            )
            / segment.payload
        )
        for data, segment, source, destination in samples
    ]
    elapsed = time.perf_counter() - start
    assert built == [sample[0] for sample in samples]
    return len(samples) / elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="more packets")
    arguments = parser.parse_args()
    packets = 1_000_000 if arguments.full else 100_000
    replica = Replica(recorded().connections)
    rate, capture = by_templates(replica, packets)
    scapy_rate = by_scapy(capture)
    print(f"{'':12}{'packets/s':>12}{'MB/s':>8}{'ratio':>8}")
    size = len(capture) / packets
    print(f"{'templates':12}{rate:12,.0f}{rate * size / 1e6:8.0f}{rate / scapy_rate:8.1f}")
    print(f"{'scapy':12}{scapy_rate:12,.0f}{scapy_rate * size / 1e6:8.1f}{1:8.1f}")
    print(f"our reader finds all {check(replica):,} segments of a short file, and no fault")
    figure("packets generated", "", [rate], least=TO_REACH_PER_SECOND, unit="/s")


if __name__ == "__main__":
    main()
