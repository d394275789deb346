"""Faults between a wire and a capture file: packets lost, duplicated, reordered; files cut.

Faults of packets convert a list of packets; times stay in the order of the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Final, TypeAlias

from mqbridge.captures.generate.packets import MadePacket

#: Maximum distance in seconds of packets that change places.
REORDER_WITHIN: Final = 0.01

Fault: TypeAlias = Callable[[list[MadePacket]], list[MadePacket]]


def duplicated(packets: list[MadePacket], random: Random, share: float = 1.0) -> list[MadePacket]:
    """Return packets with copies of all, or of a share of them, as in a capture on all interfaces."""
    out: list[MadePacket] = []
    for packet in packets:
        out.append(packet)
        if random.random() < share:
            out.append(packet)
    return out


def reordered(packets: list[MadePacket], random: Random, share: float = 0.2, reach: int = 3) -> list[MadePacket]:
    """Return packets of which a share with data is up to ``reach`` places late, behind others of the same direction.

    The order between the two directions of a connection is kept, as in real captures, and so is that of packets more
    than ``REORDER_WITHIN`` apart.
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
    """Return packets without those of these numbers, from 1."""
    gone = set(lost)
    return [packet for number, packet in enumerate(packets, 1) if number not in gone]


def lossy(packets: list[MadePacket], random: Random, share: float) -> list[MadePacket]:
    """Return packets without a share of those with data."""
    return [packet for packet in packets if not packet.length or random.random() >= share]


def from_the_middle(packets: list[MadePacket], share: float = 0.3) -> list[MadePacket]:
    """Return packets without those at the beginning."""
    return packets[int(len(packets) * share) :]


def cut_file(data: bytes, share: float) -> bytes:
    """Return the beginning of a file, ending within a record."""
    return data[: max(int(len(data) * share), 1)]
