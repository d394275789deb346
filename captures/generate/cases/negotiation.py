"""Cases of the rules for negotiation (C-1nn)."""

from __future__ import annotations

from typing import Final

from mqbridge.captures.generate.cases.making import (
    CALLED,
    CALLER,
    FLAGS_1,
    Edit,
    answered,
    both_say,
    case,
    channel,
    end_marked,
    header,
    marked,
    proposed,
    put_field,
)
from mqbridge.captures.generate.conversation import End, MadeConversation
from mqbridge.protocol.constants import CapFlags1, CapFlags2, ControlFlags1, InitErrFlags1, SegmentType
from mqbridge.protocol.structures import ID

_ID: Final = SegmentType.INITIAL_DATA
_CONFIRM: Final = bytes((ControlFlags1.CONFIRM_REQUEST,))
_ERROR: Final = bytes((ControlFlags1.ERROR,))
_PLAIN: Final = channel()


def _only_first(conversation: MadeConversation) -> None:
    """Remove all answers."""
    conversation.stop_after(conversation.find(_ID, CALLER), End.CLOSED)


def _refused_rounds(count: int) -> Edit:
    """Let the called end change something ``count`` times, and the caller propose again."""

    def edit(conversation: MadeConversation) -> None:
        first, second = conversation.lines[:2]
        for number in range(count):
            at = 2 * number
            proposal, answer = first.data, bytearray(second.data)
            answer[FLAGS_1] = ControlFlags1.ERROR
            conversation.insert(at, first.direction, proposal, mark=False)
            conversation.insert(at + 1, second.direction, bytes(answer), mark=False)
            put_field(conversation, at + 1, ID, "init_err_flags1", InitErrFlags1.MAX_MSG_PER_BATCH, mark=False)
            put_field(conversation, at + 1, ID, "max_msgs_per_batch", 49 - number, mark=False)
            if number:
                put_field(conversation, at, ID, "max_msgs_per_batch", 50 - number, mark=False)
        for place in (2 * count, 2 * count + 1):
            put_field(conversation, place, ID, "max_msgs_per_batch", 50 - count, mark=False)
        conversation.mark(2 * count)

    return edit


def _forgets(conversation: MadeConversation) -> None:
    """Let the caller repeat what was changed."""
    _refused_rounds(1)(conversation)
    put_field(conversation, 2, ID, "max_msgs_per_batch", 50)


case("C-101", channel(answered("channel_name", b"TO.EARTH")), _PLAIN)
case("C-102", channel(answered("fap_level", 13)), channel(answered("fap_level", 4, mark=False)))
case("C-103", channel(answered("max_msgs_per_batch", 51)), channel(answered("max_msgs_per_batch", 50, mark=False)))
case(
    "C-104",
    channel(answered("max_transmission_size", 32_767)),
    channel(answered("max_transmission_size", 32_765, mark=False)),
)
case(
    "C-105",
    channel(answered("max_message_size", 4_194_305)),
    channel(answered("max_message_size", 4_194_303, mark=False)),
)
case("C-106", channel(answered("sequence_wrap", 999_998)), channel(*both_say("sequence_wrap", 999_998)))
case("C-107", channel(answered("heartbeat_interval", 60)), channel(answered("heartbeat_interval", 0, mark=False)))
case(
    "C-108",
    channel(proposed("cap_flags2", 0, mark=False), answered("cap_flags2", CapFlags2.FAST_MESSAGES_REQUIRED)),
    channel(answered("cap_flags2", 0, mark=False)),
)
case(
    "C-109",
    channel(proposed("cap_flags1", 0, mark=False), answered("cap_flags1", CapFlags1.SPLIT_MESSAGE)),
    channel(*both_say("cap_flags1", CapFlags1.SPLIT_MESSAGE | CapFlags1.MSG_SEQ)),
)
case(
    "C-110",
    channel(answered("e_cap_flags2", CapFlags2.FAST_MESSAGES_REQUIRED)),
    channel(
        answered("e_cap_flags2", CapFlags2.FAST_MESSAGES_REQUIRED, mark=False),
        answered("cap_flags2", 0, mark=False),
    ),
)
case(
    "C-111",
    channel(answered("max_msgs_per_batch", 20)),
    channel(
        answered("max_msgs_per_batch", 20, mark=False),
        answered("init_err_flags1", InitErrFlags1.MAX_MSG_PER_BATCH, mark=False),
    ),
)
case("C-112", channel(header(_ID, FLAGS_1, _ERROR, direction=CALLED)), _PLAIN)
case(
    "C-113",
    channel(answered("msg_comp_list", b"\2" + 15 * b"\xff"), sender={"fap_level": 9, "offered_fap_level": 9}),
    channel(sender={"fap_level": 9, "offered_fap_level": 9}),
)
case(
    "C-114", channel(proposed("max_msgs_per_batch", 10_000)), channel(proposed("max_msgs_per_batch", 9_999, mark=False))
)
case(
    "C-115",
    channel(answered("max_transmission_size", 275)),
    channel(answered("max_transmission_size", 276, mark=False), sizes=()),
)
case("C-116", channel(header(_ID, FLAGS_1, b"\0", direction=CALLER)), _PLAIN)
case("C-117", channel(header(_ID, FLAGS_1, _CONFIRM, direction=CALLED)), _PLAIN)
case("C-118", channel(_forgets), channel(_refused_rounds(1)))
case("C-119", channel(_refused_rounds(6)), channel(_refused_rounds(2)))
case("C-120", channel(_only_first, end_marked), _PLAIN)
case(
    "C-121",
    channel(answered("q_mgr_name", b"MARS", mark=False), marked(_ID, direction=CALLED)),
    channel(answered("q_mgr_name", b"MARS2", mark=False)),
)
case(
    "C-122",
    channel(
        answered("sequence_wrap", 999_998),
        answered("init_err_flags1", InitErrFlags1.SEQ_WRAP_VALUE, mark=False),
        header(_ID, FLAGS_1, _ERROR, direction=CALLED),
    ),
    channel(answered("sequence_wrap", 999_998, mark=False)),
)
