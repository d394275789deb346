"""Cases of the rules for batches and sequence numbers (C-2nn)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.captures.generate.cases.making import (
    CALLED,
    CALLER,
    FLAGS_1,
    LUWID,
    Edit,
    both_say,
    case,
    channel,
    delayed,
    end_marked,
    field,
    header,
    insert,
    marked,
    number_in,
    put_field,
)
from mqbridge.captures.generate.conversation import End, MadeConversation
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.structures import MSH, RESET

_ID: Final = SegmentType.INITIAL_DATA
_MESSAGE: Final = SegmentType.MESSAGE_DATA
_STATUS: Final = SegmentType.STATUS_DATA
_RESYNC: Final = SegmentType.RESYNC_DATA
_OTHER: Final = b"\x11\x22\x33\x44\x55\x66\x77\x08"
_RESYNC_BODY: Final = (8).to_bytes(4, "little") + (1).to_bytes(4, "little")
_DLQ: Final = bytes((ControlFlags1.DLQ_USED,))
_FIRST: Final = bytes((ControlFlags1.FIRST,))
_LONG: Final[dict[str, Any]] = {"sizes": (80_000, 10)}
_TWO_BATCHES: Final[dict[str, Any]] = {"messages": 4, "batch_size": 2}
_PLAIN: Final = channel()


def _skip_a_number(conversation: MadeConversation) -> None:
    """Skip a number before the second message; later ones follow on."""
    for nth in range(1, conversation.messages):
        place = conversation.find(_MESSAGE, nth=nth)
        number = number_in(conversation.lines[place].segment, MSH, "sequence_number")
        put_field(conversation, place, MSH, "sequence_number", number + 1, mark=nth == 1)


def _smaller_batches(size: int, *, mark: int | None = None) -> tuple[Edit, ...]:
    """Let both ends agree on batches of ``size``, after the sender has chosen its own."""
    edits = both_say("max_msgs_per_batch", size)
    return edits if mark is None else (*edits, marked(_MESSAGE, nth=mark))


def _same_luwid(conversation: MadeConversation) -> None:
    """Give the second batch the LUWID of the first."""
    luwid = conversation.lines[conversation.find(_MESSAGE)].data[LUWID : LUWID + 8]
    second = conversation.lines[conversation.find(_MESSAGE, nth=2)].data[LUWID : LUWID + 8]
    for place, line in enumerate(conversation.lines):
        if line.data[LUWID : LUWID + 8] == second:
            conversation.patch(place, LUWID, luwid, mark=False)
    conversation.mark(conversation.find(_MESSAGE, nth=2))


def _stop_after(kind: int, *, direction: object = None, nth: int = 0, end: End = End.CLOSED) -> Edit:
    return lambda conversation: conversation.stop_after(
        conversation.find(kind, CALLED if direction is CALLED else CALLER if direction is CALLER else None, nth), end
    )


def _moved_back(conversation: MadeConversation) -> None:
    """Send the third message before the first batch is confirmed."""
    answer = conversation.find(_STATUS, CALLED)
    message = conversation.find(_MESSAGE, nth=2)
    line = conversation.lines.pop(message)
    line.time = conversation.lines[answer].time
    line.marked = True
    conversation.lines.insert(answer, line)


def _empty_batch(conversation: MadeConversation) -> None:
    """Request, and give, one more confirmation at once."""
    insert(_STATUS, CALLER, _STATUS, flags=1, luwid=_OTHER, of=CALLED)(conversation)
    insert(_STATUS, CALLED, _STATUS, luwid=_OTHER, of=CALLER, nth=1, mark=False)(conversation)


case(
    "C-201",
    channel(_skip_a_number),
    channel(sequence=998, sender={"sequence_wrap": 1_000}, receiver={"sequence_wrap": 1_000}),
)
case(
    "C-202",
    channel(field(_MESSAGE, MSH, "sequence_number", 0, nth=1)),
    channel(sequence=998, sender={"sequence_wrap": 1_000}, receiver={"sequence_wrap": 1_000}),
)
case("C-203", channel(header(_MESSAGE, LUWID, _OTHER, nth=1)), channel(**_TWO_BATCHES))
case("C-204", channel(*_smaller_batches(2, mark=2)), channel(*_smaller_batches(3)))
case("C-205", channel(_moved_back, **_TWO_BATCHES), channel(**_TWO_BATCHES))
case("C-206", channel(insert(_MESSAGE, CALLER, _RESYNC, _RESYNC_BODY, flags=1, luwid=_OTHER)), channel(in_doubt=2))
case("C-207", channel(header(_MESSAGE, FLAGS_1, _FIRST, nth=1), **_LONG), channel(**_LONG))
case("C-208", channel(_same_luwid, **_TWO_BATCHES), channel(**_TWO_BATCHES))
case("C-209", channel(header(_STATUS, LUWID, _OTHER, direction=CALLER)), _PLAIN)
case("C-210", channel(_empty_batch), channel(**_TWO_BATCHES))
case(
    "C-211",
    channel(header(_STATUS, LUWID, _OTHER, direction=CALLED)),
    channel(header(_STATUS, LUWID, bytes(8), direction=CALLED)),
)
case("C-212", channel(delayed(_STATUS, 400.0, direction=CALLED)), channel(delayed(_STATUS, 300.0, direction=CALLED)))
case("C-213", channel(header(_STATUS, FLAGS_1, _DLQ, direction=CALLED)), _PLAIN)
case(
    "C-214",
    channel(_stop_after(_STATUS, direction=CALLER), end_marked),
    channel(_stop_after(_STATUS, direction=CALLED)),
)
case(
    "C-215",
    channel(_stop_after(_MESSAGE, nth=2), end_marked),
    channel(_stop_after(_STATUS, direction=CALLED)),
)
case(
    "C-216",
    channel(field(_RESYNC, RESET, "sequence_number", 1, at=0, direction=CALLED), in_doubt=2),
    channel(in_doubt=2),
)
case("C-217", channel(marked(_RESYNC, direction=CALLED), in_doubt=2), _PLAIN)
case("C-218", channel(field(SegmentType.RESET_DATA, RESET, "sequence_number", 0), reset=7), channel(reset=7))
case(
    "C-219",
    channel(_stop_after(_STATUS, direction=CALLER, end=End.OPEN), end_marked),
    channel(_stop_after(_STATUS, direction=CALLED, end=End.OPEN)),
)
