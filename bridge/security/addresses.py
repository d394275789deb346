"""Address patterns in channel authentication records (channels.md 14).

``*`` matches everything; parts of an address may be ``*`` or a range ``1-9``, and a trailing ``*`` stands for all
remaining parts (``10.*``). A pattern with letters that is not an IPv6 address is a host name, which may contain ``*``;
it is compared with the host names that were looked up for the address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final, TypeAlias

from .specificity import matches_pattern, specificity

AddressKey: TypeAlias = tuple[int, tuple[tuple[int, int], ...], tuple[int, ...]]
"""Sorts the most specific pattern first."""

_PART_V4: Final = re.compile(r"\*|[0-9]{1,3}(?:-[0-9]{1,3})?")
_PART_V6: Final = re.compile(r"\*|[0-9A-Fa-f]{1,4}(?:-[0-9A-Fa-f]{1,4})?")
_CACHE: Final = 4096
_LITERAL, _RANGE, _WILD, _END = range(4)
_NUMBERS, _NAME, _ANY = range(3)


def normal_address(address: str) -> str:
    """Return the canonical text of an address: no zone, IPv6 compressed, IPv4-mapped IPv6 as IPv4."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(found)


def is_address(text: str) -> bool:
    """Return whether a text is a numeric address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def is_loopback(address: str) -> bool:
    """Return whether only programs on the same machine can use an address."""
    if address == "localhost":
        return True
    try:
        return ip_address(normal_address(address)).is_loopback
    except ValueError:
        return False


def is_host_name(pattern: str) -> bool:
    """Return whether a pattern is for host names."""
    return bool(pattern) and pattern != "*" and _parts(pattern) is None


def matches_address(pattern: str, address: str, host_names: Sequence[str] = ()) -> bool:
    """Return whether a pattern matches an address or one of its ``host_names``. A blank pattern matches every
    address."""
    if pattern in ("", "*"):
        return True
    wanted = _parts(pattern)
    if wanted is None:
        return any(matches_pattern(pattern.lower(), name.lower()) for name in host_names)
    given = _parts(normal_address(address))
    if given is None or given[0] != wanted[0]:
        return False
    return _fit(wanted[1], [part[0] for part in given[1]], wanted[0])


def _fit(wanted: Sequence[tuple[int, int]], given: Sequence[int], count: int) -> bool:
    top = 255 if count == 4 else 0xFFFF
    for index, (low, high) in enumerate(wanted):
        if index >= len(given) or not low <= given[index] <= high:
            return False
    return len(wanted) == len(given) or (bool(wanted) and wanted[-1] == (0, top))


@lru_cache(_CACHE)
def address_specificity(pattern: str) -> AddressKey:
    """Return a sort key: numeric addresses before host names before ``*``; compared part by part from the left, a
    number sorts before a range, a narrow range before a wide one, and all of these before ``*``."""
    if pattern in ("", "*"):
        return _ANY, (), ()
    found = _parts(pattern)
    if found is None:
        generic, ranks = specificity(pattern)
        return _NAME, (), (int(generic), *ranks)
    count, parts = found
    top = 255 if count == 4 else 0xFFFF
    key = []
    for low, high in parts:
        if low == high:
            key.append((_LITERAL, 0))
        elif (low, high) == (0, top):
            key.append((_WILD, 0))
        else:
            key.append((_RANGE, high - low))
    return _NUMBERS, (*key, (_END, 0)), ()


@lru_cache(_CACHE)
def _parts(pattern: str) -> tuple[int, tuple[tuple[int, int], ...]] | None:
    """Return (4 or 8, bounds of each part) of a numeric pattern; None for anything else."""
    if ":" in pattern:
        groups = _groups(pattern)
        return None if groups is None else _bounds(groups, 8, _PART_V6, 16)
    if not pattern or any(character.isalpha() for character in pattern):
        return None
    return _bounds(pattern.split("."), 4, _PART_V4, 10)


def _bounds(
    parts: Sequence[str], count: int, form: re.Pattern[str], base: int
) -> tuple[int, tuple[tuple[int, int], ...]] | None:
    if len(parts) > count or not all(form.fullmatch(part) for part in parts):
        return None
    if len(parts) < count and parts[-1] != "*":
        return None
    top = 255 if count == 4 else 0xFFFF
    found = []
    for part in parts:
        low, _, high = part.partition("-")
        found.append((0, top) if part == "*" else (int(low, base), int(high or low, base)))
    return count, tuple(found)


def _groups(pattern: str) -> list[str] | None:
    """Return the parts of an IPv6 pattern with ``::`` expanded; None if it is malformed."""
    before, double, after = pattern.partition("::")
    first = before.split(":") if before else []
    if not double:
        return first
    last = after.split(":") if after else []
    if "::" in after or len(first) + len(last) > 7:
        return None
    return [*first, *["0"] * (8 - len(first) - len(last)), *last]
