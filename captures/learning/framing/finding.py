"""Which framing a protocol has: of the rules that reach every end the one with the best evidence."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from mqbridge.captures.learning.messages import INITIATOR, RESPONDER, SideBytes, Stream, sides_of

from .cutting import Cut, agreement, chance_of, cut
from .length_fields import MOST_DIGITS, candidates
from .rules import ConstantSize, Delimiter, Framing, FramingRule, LengthField, StartMark, UntilClose

LEAST_MESSAGES: Final = 8
"""Fewer messages prove no length, delimiter or size."""
MOST_CHANCE: Final = -3.0
"""log10 of the chance above which a framing is not claimed."""
_MOST_SIDES: Final = 100
_MOST_MESSAGES: Final = 600
"""In so many sides and messages every rule is tried."""
_MOST_TRIED: Final = 24
"""Rules that are tried on everything."""
_DELIMITERS: Final = tuple(
    bytes.fromhex(each)
    for each in ["0d0a0d0a", "1c0d", "0d0a", "0a", "0d", "00", "03", "04", "1e", "ff", "15", "25", "3b", "7c"]
)


class _Found(NamedTuple):
    rule: FramingRule
    cut: Cut
    rank: tuple[float, ...]
    chance: float


def find_framing(streams: Sequence[Stream]) -> tuple[Framing, list[tuple[SideBytes, Sequence[int]]]] | None:
    """Return the framing of the streams and where it cuts each side; None where nothing cuts all of them to the end."""
    sides = sides_of(streams)
    if not sides:
        return None
    both = _best(sides)
    if both is not None:
        return _framing((both, both), [sides])
    ours = [side for side in sides if side.side == INITIATOR]
    theirs = [side for side in sides if side.side == RESPONDER]
    found = [_best(each) if each else None for each in (ours, theirs)]
    first, second = found
    if first is not None and second is not None:
        return _framing((first, second), [ours, theirs])
    return _until_close(streams, sides)


def _framing(
    found: tuple[_Found, _Found], groups: Sequence[Sequence[SideBytes]]
) -> tuple[Framing, list[tuple[SideBytes, Sequence[int]]]]:
    cuts = [pair for each, group in zip(found, groups, strict=False) for pair in zip(group, each.cut.ends, strict=True)]
    distinct = found[: len(groups)]
    messages = sum(each.cut.messages for each in distinct)
    return Framing((found[0].rule, found[1].rule), messages, sum(each.chance for each in distinct)), cuts


def _until_close(
    streams: Sequence[Stream], sides: Sequence[SideBytes]
) -> tuple[Framing, list[tuple[SideBytes, Sequence[int]]]] | None:
    """One message in each direction: each stream has ended, and no side speaks again after the other's answer."""
    if len(streams) < LEAST_MESSAGES or not all(stream.whole for stream in streams):
        return None
    for stream in streams:
        turns = [piece.side for piece in stream.pieces if piece.data]
        if sum(1 for before, after in itertools.pairwise(turns) if before != after) > 1:
            return None
    rule = UntilClose()
    return Framing((rule, rule), len(sides), 0.0), [(side, [len(side.data)]) for side in sides]


def _best(sides: Sequence[SideBytes]) -> _Found | None:
    """Return the best rule for these sides: ranked by what it does to a part of them, tried then on all."""
    part = sides[:: -(-len(sides) // _MOST_SIDES)]
    most = max(_MOST_MESSAGES // len(part), LEAST_MESSAGES)
    found = [each for rule in _rules(part) if (each := _judge(rule, part, most)) is not None]
    for each in sorted(found, key=lambda each: each.rank, reverse=True)[:_MOST_TRIED]:
        whole = _judge(each.rule, sides)
        if whole is not None:
            return whole._replace(rule=_widened(whole, sides))
    return None


def _rules(sides: Sequence[SideBytes]) -> Iterator[FramingRule]:
    yield from candidates(sides)
    for value in _DELIMITERS:
        if all(side.data.endswith(value) or not side.stream.whole for side in sides):
            yield Delimiter(value)
    size, count = Counter(size for side in sides for size in side.piece_sizes).most_common(1)[0]
    if 2 * count > sum(len(side.piece_sizes) for side in sides):
        yield ConstantSize(size)
    mark = _common_start(sides)
    for width in (8, 4, 3, 2, 1):
        if len(mark) >= width:
            yield StartMark(mark[:width])


def _common_start(sides: Sequence[SideBytes]) -> bytes:
    first = sides[0].data[:8]
    while not all(side.data.startswith(first) for side in sides):
        first = first[:-1]
    return first


def _judge(rule: FramingRule, sides: Sequence[SideBytes], most: int | None = None) -> _Found | None:
    """Return what speaks for a rule that reaches every end, or cuts the first ``most`` messages of each side; None for
    one that does not, or has too little to show."""
    made = cut(rule, sides, most)
    if made is None or made.messages < LEAST_MESSAGES:
        return None
    pieces = met = 0
    for ends, side in zip(made.ends, sides, strict=True):
        within, agreed = agreement(ends, side.piece_sizes)
        pieces += within
        met += agreed
    chance = chance_of(made, sides)
    if isinstance(rule, LengthField) and not _varies(made):
        chance = max(chance, -1.0)
    if chance > MOST_CHANCE and met < pieces:
        return None
    if isinstance(rule, StartMark) and (made.messages < pieces or met < pieces):
        return None
    order = {LengthField: 3, ConstantSize: 2, Delimiter: 1, StartMark: 0}[type(rule)]
    share = met / pieces
    size = sum(ends[-1] for ends in made.ends if ends) / made.messages
    return _Found(rule, made, (round(share, 2), order, size, *_simplicity(rule)), chance)


def _varies(made: Cut) -> bool:
    """Whether the messages have different lengths: one length says nothing of a field."""
    sizes = set()
    for ends in made.ends:
        sizes |= {end - begin for begin, end in itertools.pairwise([0, *ends])}
        if len(sizes) > 1:
            return True
    return False


def _simplicity(rule: FramingRule) -> tuple[float, ...]:
    """Of rules that cut alike the simplest is best: an early field, few ways of counting."""
    if isinstance(rule, LengthField):
        usual = rule.add in (0, rule.position + rule.width)
        return (rule.unit == 1, usual, rule.encoding != "base128", -rule.position - rule.width, -rule.width)
    if isinstance(rule, Delimiter):
        return (len(rule.value),)
    return ()


def _widened(found: _Found, sides: Sequence[SideBytes]) -> FramingRule:
    """Return the rule with its field in its natural size, where that cuts alike: digits from the first of them, a
    binary number with the zeros beside it where it then stands at a multiple of its width."""
    rule = found.rule
    if not isinstance(rule, LengthField) or rule.encoding == "base128":
        return rule
    for wide in _wider(rule):
        made = cut(wide, sides)
        if made is not None and made.ends == found.cut.ends:
            return wide
    return rule


def _wider(rule: LengthField) -> Iterator[LengthField]:
    end = rule.position + rule.width
    if rule.encoding == "digits":
        for position in range(max(end - MOST_DIGITS, 0), rule.position):
            yield rule._replace(position=position, width=end - position)
        return
    orders = ("big", "little") if rule.width == 1 else (rule.encoding,)
    for width in (4, 2):
        for order in orders:
            position = end - width if order == "big" else rule.position
            if width > rule.width and position >= 0 and not position % width:
                add = rule.add + width - rule.width if order == "little" and rule.add == end else rule.add
                yield rule._replace(position=position, width=width, encoding=order, add=add)
