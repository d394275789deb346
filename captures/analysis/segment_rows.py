"""Rows of the table of segments: the header, the fields that many have, and all others as text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple, get_args, get_type_hints

from captures.analysis.options import AnalysisOptions
from captures.rules import Finding
from captures.rules.finding import Severity
from captures.streams.segments import CapturedSegment
from captures.tables.rows import CommonFields, SegmentRow
from protocol.constants import SegmentType
from protocol.dissection.quick_layouts import Shape
from protocol.dissection.quick_segments import QuickStructure, quick_structures
from protocol.segment import NO_LUWID, TAILS, Segment

MAX_VALUE: Final = 1024
"""Characters of one value in the map."""
MAX_FIELDS: Final = 1024
"""Entries of the map; a segment of PCF can have many more."""

MAX_PLANS: Final = 4096
"""Kinds of structures of which is kept what becomes of their fields."""
MAX_NUMBERS: Final = 1 << 14
"""Numbers of which the text is kept."""

_BODY: Final = "data"
_LENGTH: Final = ("Length",)
_BYTES: Final = ("",)
_ORDER: Final = list(Severity)
# Column of the common fields by the name that IBM has for a field, wherever it stands.
_COMMON: Final = {
    "ChannelName": "channel",
    "QMgrName": "queue_manager",
    "ResolvedQMgrName": "queue_manager",
    "ObjectQMgrName": "queue_manager",
    "RemoteQMgrName": "queue_manager",
    "UserId": "user",
    "LongUserId": "user",
    "UserIdentifier": "user",
    "ObjectName": "object_name",
    "RemoteQName": "object_name",
    "ResolvedQName": "object_name",
    "ObjectHandle": "handle",
    "CompCode": "comp_code",
    "Reason": "reason",
    "ReasonCode": "reason",
    "Options": "options",
    "FapLevel": "fap_level",
    "SequenceNumber": "sequence_number",
    "DataLength": "data_length",
    "Format": "format",
    "Persistence": "persistence",
    "MsgId": "msg_id",
    "CorrelId": "correl_id",
    "ReplyToQ": "reply_to_q",
}
_COLUMNS: Final = {column: place for place, column in enumerate(CommonFields._fields)}
_KINDS: Final = tuple(str if str in get_args(hint) else int for hint in get_type_hints(CommonFields).values())
_BETTER: Final = frozenset(("LongUserId",))
_NO_COLUMNS: Final = [None] * len(_COLUMNS)
_NO_LUWID: Final = NO_LUWID.hex()


@cache
def segment_name(number: int) -> str:
    """Name of a segment type, the number as text where it has none."""
    return str(SegmentType(number))


def segment_row(captured: CapturedSegment, findings: list[Finding], options: AnalysisOptions) -> SegmentRow:
    """The row of one segment. ``findings``: what was found in the flow when it passed."""
    segment, packet = captured.segment, captured.packet
    rules: list[str] = []
    severity = None
    if findings:
        here = [found for found in findings if found.packet == packet]
        rules = sorted({found.rule for found in here})
        severity = min((found.severity for found in here), key=_ORDER.index).value if here else None
    common = fields = None
    if options.fields is None or options.fields:
        common, fields = read_fields(segment, options.fields)
    luwid = segment.luwid
    encoding, ccsid, _ = TAILS[segment.byte_order].unpack(segment.tail)
    return _new_row(
        SegmentRow,
        (
            options.capture,
            captured.flow.id,
            captured.direction.value,
            captured.time,
            packet,
            captured.last_packet,
            captured.offset,
            segment.header.name,
            segment.length,
            segment.conversation_id,
            segment.request_id,
            segment.byte_order,
            segment.type,
            segment_name(segment.type),
            segment.flags1,
            segment.flags2,
            _NO_LUWID if luwid == NO_LUWID else luwid.hex(),
            encoding,
            ccsid,
            common,
            fields,
            rules,
            severity,
        ),
    )


def read_fields(segment: Segment, wanted: frozenset[str] | None) -> tuple[CommonFields, dict[str, str]]:
    """Common fields, and ``STRUCTURE.Field`` to text; ``wanted``: names that are asked for, None for all."""
    return fields_of(quick_structures(segment), wanted)


def fields_of(
    structures: Iterable[QuickStructure], wanted: frozenset[str] | None
) -> tuple[CommonFields, dict[str, str]]:
    """The same of structures that were read."""
    common: list[Any] = _NO_COLUMNS.copy()
    fields: dict[str, str] = {}
    seen: dict[str, int] = {}
    texts = _TEXTS
    for shape, values in structures:
        name = shape.name
        count = seen[name] = seen.get(name, 0) + 1
        plan = _plan(shape, count, wanted)
        if shape.fields is None:
            values = (len(values) if name == _BODY else values[:MAX_VALUE].hex(),)
        for place, column, better in plan.columns:
            value = values[place]
            if value != "" and (common[column] is None or better):
                common[column] = value
        if plan.whole and len(fields) + len(values) <= MAX_FIELDS:
            shown = [value if value.__class__ is str else texts[value] for value in values]
            fields.update(zip(plan.keys, shown, strict=True))
            continue
        for place, key in plan.wanted:
            if len(fields) >= MAX_FIELDS:
                break
            fields[key] = str(values[place])[:MAX_VALUE]
    for column, kind in enumerate(_KINDS):
        # A name of one structure is a number in another: what has the wrong type is left out.
        if common[column] is not None and not isinstance(common[column], kind):
            common[column] = None
    return CommonFields._make(common), fields


class _Plan(NamedTuple):
    """What becomes of the fields of structures of one shape.

    ``keys``: of the map, one a field; ``wanted``: places and keys of fields that are asked for; ``whole``: whether all
    are, and their texts are short. ``columns``: place of a field, that of its column, and whether it is better than
    what is there already.
    """

    keys: tuple[str, ...]
    wanted: tuple[tuple[int, str], ...]
    whole: bool
    columns: tuple[tuple[int, int, bool], ...]


@lru_cache(MAX_PLANS)
def _plan(shape: Shape, count: int, wanted: frozenset[str] | None) -> _Plan:
    """``count``: how many structures of that name the segment has, up to this one."""
    prefix = shape.name if count == 1 else f"{shape.name}#{count}"
    names = shape.fields
    if names is None:
        names = _LENGTH if shape.name == _BODY else _BYTES
    keys = tuple(f"{prefix}.{name}" if name else prefix for name in names)
    chosen = tuple((place, key) for place, key in enumerate(keys) if wanted is None or key in wanted)
    columns = tuple(
        (place, _COLUMNS[_COMMON[name]], name in _BETTER) for place, name in enumerate(names) if name in _COMMON
    )
    return _Plan(keys, chosen, wanted is None and shape.short, columns)


class _Texts(dict[Any, str]):
    """Text by number."""

    def __missing__(self, number: int) -> str:
        text = str(number)
        if len(self) >= MAX_NUMBERS:
            self.clear()
        self[number] = text
        return text


_TEXTS: Final = _Texts()
_new_row: Final = tuple.__new__
