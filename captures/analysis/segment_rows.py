"""Rows of the table of segments: the header, common fields, and all fields as text."""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple, get_args, get_type_hints

from mqbridge.captures.analysis.options import AnalysisOptions
from mqbridge.captures.rules import Finding
from mqbridge.captures.rules.catalogue import SEVERITY_RANKS
from mqbridge.captures.streams.segments import CapturedSegment
from mqbridge.captures.tables.rows import CommonFields, SegmentRow
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.dissection.quick_layouts import MAX_VALUE, Shape
from mqbridge.protocol.dissection.quick_segments import QuickStructures, quick_structures
from mqbridge.protocol.segment import NO_LUWID, TAILS, Segment

MAX_FIELDS: Final = 1024
"""Maximum number of entries in the map of fields; segments with PCF can have many more."""

MAX_PLANS: Final = 1024
"""Maximum number of cached plans."""
MOST_PLANNED: Final = 32
"""Maximum number of structures in a segment with a cached plan."""

# Columns of common fields by IBM's name of the field, in any structure.
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
_NUMBERS: Final = frozenset(
    place for place, hint in enumerate(get_type_hints(CommonFields).values()) if str not in get_args(hint)
)
_BETTER: Final = frozenset(("LongUserId",))
_NO_COLUMNS: Final = [None] * len(_COLUMNS)
_NO_LUWID: Final = NO_LUWID.hex()


@cache
def segment_name(number: int) -> str:
    """Return the name of a segment type, or its number as text."""
    return str(SegmentType(number))


def segment_row(captured: CapturedSegment, findings: list[Finding], options: AnalysisOptions) -> SegmentRow:
    """Return the row of one segment. ``findings``: findings on the flow when it passed."""
    segment, packet = captured.segment, captured.packet
    rules: list[str] = []
    severity = None
    if findings:
        here = [found for found in findings if found.packet == packet]
        rules = sorted({found.rule for found in here})
        severity = min((found.severity.value for found in here), key=SEVERITY_RANKS.__getitem__, default=None)
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
    """Return common fields, and ``STRUCTURE.Field`` to text; ``wanted``: requested names, None for all."""
    return fields_of(quick_structures(segment), wanted)


def fields_of(structures: QuickStructures, wanted: frozenset[str] | None) -> tuple[CommonFields, dict[str, str]]:
    """Return the same of structures read already."""
    shapes, texts = structures
    plan = _kept_plan(shapes, wanted) if len(shapes) <= MOST_PLANNED else _plan(shapes, wanted)
    common: list[Any] = _NO_COLUMNS.copy()
    for column, kind, places in plan.columns:
        for place, number in places:
            text = texts[place]
            if text:
                # The same name can be text in one structure and a number in another: skip the wrong type.
                if number is kind:
                    common[column] = int(text) if number else text
                break
    if plan.chosen is not None:
        texts = [texts[place][:MAX_VALUE] for place in plan.chosen]
    return CommonFields._make(common), dict(zip(plan.keys, texts, strict=True))


class _Plan(NamedTuple):
    """Use of the fields of a run of structures.

    ``keys``: of the map, one per field. ``chosen``: places of these fields, None for all fields with texts that need
    not be truncated. ``columns``: place of a column, whether it holds numbers, and the places of its possible fields,
    the best first, each with whether it is a number.
    """

    keys: tuple[str, ...]
    chosen: tuple[int, ...] | None
    columns: tuple[tuple[int, bool, tuple[tuple[int, bool], ...]], ...]


def _plan(shapes: tuple[Shape, ...], wanted: frozenset[str] | None) -> _Plan:
    seen: Counter[str] = Counter()
    keys: dict[str, int] = {}  # and the place of the field
    columns: dict[int, list[tuple[int, bool]]] = {}
    place = 0
    for shape in shapes:
        seen[shape.name] += 1
        count = seen[shape.name]
        prefix = shape.name if count == 1 else f"{shape.name}#{count}"
        for number, field in enumerate(shape.fields):
            key = f"{prefix}.{field}" if field else prefix
            if (wanted is None or key in wanted) and len(keys) < MAX_FIELDS:
                keys[key] = place
            if field in _COMMON:
                candidates = columns.setdefault(_COLUMNS[_COMMON[field]], [])
                candidates.insert(0 if field in _BETTER else len(candidates), (place, number in shape.numbers))
            place += 1
    chosen = tuple(keys.values())
    return _Plan(
        tuple(keys),
        None if chosen == tuple(range(place)) and not any(shape.uncut for shape in shapes) else chosen,
        tuple((column, column in _NUMBERS, tuple(places)) for column, places in columns.items()),
    )


_kept_plan: Final = lru_cache(MAX_PLANS)(_plan)
_new_row: Final = tuple.__new__
