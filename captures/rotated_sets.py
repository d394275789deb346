"""Rotated sets: captures divided into consecutive files by a recorder, recognised by names and times.

Files with these names in one folder form a set, in the order of their numbers and without a missing number:

* ``NAME_00001.pcap``, ``NAME_00001_20260131120000.pcapng``: ``dumpcap``, ``tshark`` and Wireshark with ``-b``; *
``NAME.pcap``, ``NAME.pcap1``, ``NAME.pcap2``: ``tcpdump -C``; * ``NAME-20260131-120000-0001.pcap``: ``mqbridge run
--record``.

All of them must be readable, and none may begin before its predecessor.
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
    """A file and its name's parts. ``family``: equal for the files of one recorder. ``stamp``, ``number``: their
    order."""

    family: tuple[object, ...]
    stamp: str
    number: int
    path: str


def rotated_sets(paths: Iterable[str]) -> list[list[str]]:
    """Divide paths into sets, each in order; any other capture is a set of its own.

    A set takes the place of the first of its files.
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
    """Return the name of a set in reports and tables: its first path, and the name of its last file."""
    first, *rest = files
    return f"{first} to {os.path.basename(rest[-1])}" if rest else first


def _runs(family: list[_Member]) -> list[list[str]]:
    """Divide the files of one recorder where a number is missing or the times decrease."""
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
    """Return the time of the first packet, or None."""
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
