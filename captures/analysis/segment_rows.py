"""Rows of the table of segments: the header, the fields that many have, and all others as text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, get_args, get_type_hints

from captures.analysis.options import AnalysisOptions
from captures.rules import Finding
from captures.rules.finding import Severity
from captures.streams.segments import CapturedSegment
from captures.tables.rows import CommonFields, SegmentRow
from protocol.constants import SegmentType
from protocol.dissection import Findings, Shown, dissect_segment

MAX_VALUE: Final = 1024
"""Characters of one value in the map."""
MAX_FIELDS: Final = 1024
"""Entries of the map; a segment of PCF can have many more."""

_HEADERS: Final = frozenset(("TSH", "TSHC", "TSHM"))
_BODY: Final = "data"
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
_KIND_OF: Final = {key: str if str in get_args(hint) else int for key, hint in get_type_hints(CommonFields).items()}
_BETTER: Final = frozenset(("LongUserId",))


@cache
def segment_name(number: int) -> str:
    """Name of a segment type, the number as text where it has none."""
    return str(SegmentType(number))


def segment_row(captured: CapturedSegment, findings: list[Finding], options: AnalysisOptions) -> SegmentRow:
    """The row of one segment. ``findings``: what was found in the flow when it passed."""
    segment = captured.segment
    here = [found for found in findings if found.packet == captured.packet]
    common = fields = None
    if options.fields is None or options.fields:
        common, fields = read_fields(captured, options.fields)
    return SegmentRow(
        options.capture,
        captured.flow.id,
        captured.direction.value,
        captured.time,
        captured.packet,
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
        segment.luwid.hex(),
        segment.encoding,
        segment.ccsid,
        common,
        fields,
        sorted({found.rule for found in here}),
        min((found.severity for found in here), key=_ORDER.index).value if here else None,
    )


def read_fields(captured: CapturedSegment, wanted: frozenset[str] | None) -> tuple[CommonFields, dict[str, str]]:
    """Common fields, and ``STRUCTURE.Field`` to text; ``wanted``: names that are asked for, None for all."""
    shown = dissect_segment(captured.segment, Findings(), offset=captured.offset)
    common: dict[str, Any] = {}
    fields: dict[str, str] = {}
    seen: dict[str, int] = {}
    for structure in shown["structures"]:
        name: str = structure["structure"]
        if name in _HEADERS:
            continue
        count = seen[name] = seen.get(name, 0) + 1
        prefix = name if count == 1 else f"{name}#{count}"
        for field, value in _values(structure):
            column = _COMMON.get(field)
            if column is not None and value != "" and (column not in common or field in _BETTER):
                common[column] = value
            key = f"{prefix}.{field}" if field else prefix
            if (wanted is None or key in wanted) and len(fields) < MAX_FIELDS:
                fields[key] = str(value)[:MAX_VALUE]
    return _common(common), fields


def _values(structure: Shown) -> Iterator[tuple[str, Any]]:
    """Fields of a structure; of one that is not taken apart its bytes, of the body of a message only its length."""
    if "fields" in structure:
        yield from structure["fields"].items()
    elif structure["structure"] == _BODY:
        yield "Length", structure["length"]
    else:
        yield "", structure["hex"]


def _common(found: dict[str, Any]) -> CommonFields:
    """A name of one structure is a number in another: what has the wrong type is left out."""
    fitting: dict[str, Any] = {key: value for key, value in found.items() if isinstance(value, _KIND_OF[key])}
    return CommonFields(**fitting)
