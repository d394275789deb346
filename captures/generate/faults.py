"""What goes wrong between a wire and a capture file: packets lost, doubled, out of order; files cut.

Faults of packets take a list of packets and give another; times stay in the order of the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Final, TypeAlias

from mqbridge.captures.generate.packets import MadePacket

#: Seconds within which packets change places.
REORDER_WITHIN: Final = 0.01

Fault: TypeAlias = Callable[[list[MadePacket]], list[MadePacket]]


def duplicated(packets: list[MadePacket], random: Random, share: float = 1.0) -> list[MadePacket]:
    """A copy behind each packet, or behind a share of them: what a capture on all interfaces sees."""
    out: list[MadePacket] = []
    for packet in packets:
        out.append(packet)
        if random.random() < share:
            out.append(packet)
    return out


def reordered(packets: list[MadePacket], random: Random, share: float = 0.2, reach: int = 3) -> list[MadePacket]:
    """Packets with data come up to ``reach`` places late behind others of the same direction of their connection.

    The order between the two directions stays what it was, as it does between a wire and a capture on it; so does that
    of packets that are further apart than ``REORDER_WITHIN``.
    """
    out = list(packets)
    for place in range(len(out) - 1):
        if not out[place].length or random.random() >= share:
            continue
        last = place
        for other in range(place + 1, min(place + 1 + reach, len(out))):
            here, there = out[place], out[other]
            if here.connection != there.connection:
                continue
            if here.direction is not there.direction or not there.length:
                break
            if there.time - here.time > REORDER_WITHIN:
                break
            last = other
        if last > place:
            out.insert(last, out.pop(place))
    times = sorted(packet.time for packet in out)
    return [replace(packet, time=time) for packet, time in zip(out, times, strict=True)]


def without(packets: list[MadePacket], lost: Iterable[int]) -> list[MadePacket]:
    """Packets by their numbers, from 1, are not in the capture."""
    gone = set(lost)
    return [packet for number, packet in enumerate(packets, 1) if number not in gone]


def lossy(packets: list[MadePacket], random: Random, share: float) -> list[MadePacket]:
    """A share of the packets with data is not in the capture."""
    return [packet for packet in packets if not packet.length or random.random() >= share]


def from_the_middle(packets: list[MadePacket], share: float = 0.3) -> list[MadePacket]:
    """The capture begins late."""
    return packets[int(len(packets) * share) :]


def cut_file(data: bytes, share: float) -> bytes:
    """A file that was not written to its end, within a record."""
    return data[: max(int(len(data) * share), 1)]
