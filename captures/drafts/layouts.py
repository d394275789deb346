"""Layouts of kinds as fields of the template language, which has no lists and no ranges inside ranges."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.captures.learning import Claim, Layout
from mqbridge.captures.learning.claims import CONSTANT, LENGTH, LIST, OPAQUE, UNKNOWN
from mqbridge.captures.learning.layout import Block, Fixed, Sized, Tail

from .specs import SizedBy, Spec, spec_of

_REST = Claim(0, None, OPAQUE, 0.0)
_ITEMS = Claim(0, None, LIST, 0.0, {"part": "all items"})


def specs_of(layout: Layout) -> list[Spec]:
    """Return the fields of a layout, in order, with names that differ. What the language cannot say is one field."""
    maker = _Maker()
    maker.blocks(layout.blocks)
    return _named(maker.specs)


def relaxed(specs: Sequence[Spec], shortest: int) -> list[Spec]:
    """Return fields that every message has that is no shorter than ``shortest``: those at fixed places, then the
    rest."""
    found: list[Spec] = []
    for spec in specs:
        if spec.start is None or not isinstance(spec.length, int) or spec.start + spec.length > shortest:
            break
        found.append(spec)
    end = (found[-1].start or 0) + int(str(found[-1].length)) if found else 0
    return _named([*found, spec_of(_REST, end, None)])


class _Maker:
    """Makes fields block by block. ``at``: the offset where that is the same in all messages, else None."""

    def __init__(self) -> None:
        self.specs: list[Spec] = []
        self.at: int | None = 0

    def blocks(self, blocks: Sequence[Block]) -> None:
        """Add the fields of blocks, up to the first that the language cannot say."""
        for block in blocks:
            if isinstance(block, Fixed):
                self._fixed(block)
            elif isinstance(block, Tail):
                self._add(block.claim, None)
                return
            elif not (isinstance(block, Sized) and self._sized(block)):
                self._add(_ITEMS, None)
                return

    def _fixed(self, block: Fixed) -> None:
        for claim in block.claims:
            self._add(claim, (block.width if claim.end is None else claim.end) - claim.start)

    def _add(self, claim: Claim, width: int | None, length: SizedBy | None = None) -> Spec:
        spec = spec_of(claim, self.at, width)
        if length is not None:
            spec.length = length
        self.specs.append(spec)
        self.at = None if self.at is None or width is None or length is not None else self.at + width
        return spec

    def _sized(self, block: Sized) -> bool:
        """Add a range that a number measures; False where there is no field of that number."""
        if block.claim is not None:
            number = self._add(block.claim, block.width)
            number.keys, number.length = {"type": "base128"}, "own"
            self.at = None
        else:
            found = self._number(block)
            if found is None:
                return False
            number = found
        number.keys.pop("compute", None)
        number.name = number.name if number.name != LENGTH else "size"
        fixed = 0
        inner = list(block.content.blocks)
        flat = all(isinstance(each, Fixed) for each in inner[:-1]) and isinstance(inner[-1], Tail)
        for each in inner[:-1] if flat else ():
            assert isinstance(each, Fixed), "flat"
            if self.at is not None:
                break
            self._fixed(each)
            fixed += each.width
        tail = inner[-1] if flat and (fixed or len(inner) == 1) else None
        claim = tail.claim if isinstance(tail, Tail) else _REST._replace(what=UNKNOWN)
        self._add(claim, None, SizedBy(str(id(number)), block.unit, block.add - fixed))
        return True

    def _number(self, block: Sized) -> Spec | None:
        """Return the field of the number before a range."""
        behind = 0
        for spec in reversed(self.specs):
            if not isinstance(spec.length, int):
                return None
            if behind == block.back:
                integer = spec.keys.get("type") == "unsigned" and spec.length == block.width
                return spec if integer and not spec.is_constant else None
            behind += spec.length
        return None


def _named(specs: list[Spec]) -> list[Spec]:
    """Give each field a name of its own, by its place where several would have the same; the lengths follow."""
    counts: dict[str, int] = {}
    for spec in specs:
        counts[spec.name] = counts.get(spec.name, 0) + (spec.claim.what != CONSTANT or spec.start is None)
    names: dict[str, str] = {}
    used: set[str] = set()
    for number, spec in enumerate(specs):
        name = spec.name
        if counts.get(name, 0) > 1 or name in used:
            name = f"{name}-{spec.start if spec.start is not None else f'x{number}'}"
        names[str(id(spec))] = spec.name = name
        used.add(name)
    for spec in specs:
        if isinstance(spec.length, SizedBy) and spec.length.field in names:
            spec.length = spec.length._replace(field=names[spec.length.field])
    return specs
