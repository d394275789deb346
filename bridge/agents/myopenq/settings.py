"""Settings of a door, and the refusals that errors of the queue manager become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.myopenq import Code, MoqError

DEFAULT_DIGESTS: Final = 1000
DEFAULT_QUEUES: Final = 1024
DEFAULT_MESSAGE: Final = 1024
DEFAULT_CCSID: Final = 1208

MAX_PHRASE: Final = 200
"""Longest phrase of a refusal that says more than its code."""
_CODES: Final[dict[int, Code]] = {
    MQRC.UNKNOWN_OBJECT_NAME: Code.UNKNOWN_QUEUE,
    MQRC.UNKNOWN_ALIAS_BASE_Q: Code.UNKNOWN_QUEUE,
    MQRC.UNKNOWN_REMOTE_Q_MGR: Code.UNKNOWN_QUEUE,
    MQRC.UNKNOWN_XMIT_Q: Code.UNKNOWN_QUEUE,
    MQRC.Q_DELETED: Code.UNKNOWN_QUEUE,
    MQRC.OPTION_NOT_VALID_FOR_TYPE: Code.UNKNOWN_QUEUE,
    MQRC.MSG_TOO_BIG_FOR_Q: Code.TOO_LONG,
    MQRC.MSG_TOO_BIG_FOR_Q_MGR: Code.TOO_LONG,
    MQRC.Q_FULL: Code.QUEUE_FULL,
    MQRC.NOT_AUTHORIZED: Code.NOT_PERMITTED,
    MQRC.PUT_INHIBITED: Code.NOT_PERMITTED,
    MQRC.GET_INHIBITED: Code.NOT_PERMITTED,
    MQRC.NO_MSG_AVAILABLE: Code.NOT_FOUND,
    MQRC.Q_MGR_QUIESCING: Code.NOT_FOUND,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorSettings:
    """Settings of one door.

    ``md5_list``: digests kept for each peer (M-112). ``max_queues``: queues that CREATE makes, of all doors together
    (M-115). ``max_message``: longest message in bytes (M-116). ``ccsid``: of the text of messages. ``mcauser``: user
    with whose authorities it gets and puts; blank: the queue manager's own. ``secret``: key of digests, empty for none
    (M-093). ``allow_shutdown``: whether SHUTDOWN ends the queue manager (M-099).
    """

    name: str
    framed: bool = False
    md5_list: int = DEFAULT_DIGESTS
    max_queues: int = DEFAULT_QUEUES
    max_message: int = DEFAULT_MESSAGE
    ccsid: int = DEFAULT_CCSID
    mcauser: str = ""
    secret: bytes = b""
    allow_shutdown: bool = True


def refusal(error: MQError) -> MoqError:
    """The refusal that an error of the queue manager becomes; 9001 with its reason where no other code fits."""
    code = _CODES.get(error.reason)
    return MoqError(code) if code is not None else MoqError(Code.INTERNAL, f"internal error: {error}"[:MAX_PHRASE])
