"""Captures that a recorder divided into files one behind the other, known by their names and their times.

These names make a set, in the order of their numbers, where they are in one folder and none is missing between them:

* ``NAME_00001.pcap``, ``NAME_00001_20260131120000.pcapng``: ``dumpcap``, ``tshark`` and Wireshark with ``-b``;
* ``NAME.pcap``, ``NAME.pcap1``, ``NAME.pcap2``: ``tcpdump -C``;
* ``NAME-20260131-120000-0001.pcap``: ``mqbridge run --record``.

No file of a set begins before the one in front of it, and all of them can be read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from mqbridge.captures.reading.packets import PacketReader

_NAMES: Final = (
    re.compile(r"(?P<name>.+)-(?P<stamp>\d{8}-\d{6})-(?P<number>\d{4,})(?P<ending>\.pcap(\.(gz|zst))?)", re.DOTALL),
    re.compile(
        r"(?P<name>.+?)_(?P<number>\d{5,})(_(?P<stamp>\d{14}))?(?P<ending>\.(pcap|pcapng|cap)(\.(gz|zst))?)",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(r"(?P<name>.+)(?P<ending>\.p?cap)(?P<number>\d*)(\.(gz|zst))?", re.IGNORECASE | re.DOTALL),
)


class _Member(NamedTuple):
    """A file by its name. ``family``: equal for the files of one recorder; ``stamp``, ``number``: their order."""

    family: tuple[object, ...]
    stamp: str
    number: int
    path: str


def rotated_sets(paths: Iterable[str]) -> list[list[str]]:
    """Divide paths into sets, each in order; a capture that belongs to no other is a set of its own.

    A set stands where the first of its files stood.
    """
    listed = list(paths)
    members = [_member(path) for path in listed]
    families: dict[tuple[object, ...], list[_Member]] = {}
    for member in members:
        families.setdefault(member.family, []).append(member)
    runs = [run for family in families.values() for run in _runs(sorted(family, key=lambda member: member[1:3]))]
    places = {path: place for place, path in enumerate(listed)}
    return sorted(runs, key=lambda run: min(places[path] for path in run))


def set_name(files: list[str]) -> str:
    """What a set is called in reports and tables: its first path, and the name of its last file."""
    first, *rest = files
    return f"{first} to {os.path.basename(rest[-1])}" if rest else first


def _runs(family: list[_Member]) -> list[list[str]]:
    """Divide files of one recorder where a number is missing, or the times do not go on."""
    runs = [[family[0].path]]
    for last, member in pairwise(family):
        if member.number == last.number + 1 and _follows(last.path, member.path):
            runs[-1].append(member.path)
        else:
            runs.append([member.path])
    return runs


def _follows(path: str, next_path: str) -> bool:
    begun, next_begun = _first_time(path), _first_time(next_path)
    return begun is not None and next_begun is not None and begun <= next_begun


def _first_time(path: str) -> float | None:
    """Time of the first packet; None where there is none to be read."""
    try:
        with open(path, "rb") as file:
            for packet in PacketReader(file):
                return packet.time
    except OSError:
        pass
    return None


def _member(path: str) -> _Member:
    folder, name = os.path.split(path)
    for kind, pattern in enumerate(_NAMES):
        match = pattern.fullmatch(name)
        if match is not None:
            stamp = match.groupdict().get("stamp") or ""
            family = kind, os.path.abspath(folder), match["name"], match["ending"], bool(stamp)
            return _Member(family, stamp, int(match["number"] or 0), path)
    return _Member((path,), "", 0, path)
