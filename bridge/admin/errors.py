"""Errors in the form of IBM MQ's REST API: an HTTP status and ``{"error": [{…}]}``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.security import WebRole
from mqbridge.protocol.constants import MQCC, MQRC
from mqbridge.protocol.errors import MQBridgeError

BAD_REQUEST: Final = 400
UNAUTHORIZED: Final = 401
FORBIDDEN: Final = 403
NOT_FOUND: Final = 404
METHOD_NOT_ALLOWED: Final = 405
CONFLICT: Final = 409
TOO_LARGE: Final = 413
UNSUPPORTED_TYPE: Final = 415
SERVER_ERROR: Final = 500
NOT_TEXT: Final = 501
UNAVAILABLE: Final = 503

_STATUS_OF_REASON: Final[dict[int, int]] = {
    MQRC.UNKNOWN_OBJECT_NAME: NOT_FOUND,
    MQRC.UNKNOWN_REMOTE_Q_MGR: NOT_FOUND,
    MQRC.UNKNOWN_OBJECT_Q_MGR: NOT_FOUND,
    MQRC.UNKNOWN_ALIAS_BASE_Q: NOT_FOUND,
    MQRC.NOT_AUTHORIZED: FORBIDDEN,
    MQRC.MSG_TOO_BIG_FOR_Q: TOO_LARGE,
    MQRC.MSG_TOO_BIG_FOR_Q_MGR: TOO_LARGE,
    MQRC.Q_MGR_QUIESCING: UNAVAILABLE,
    MQRC.Q_MGR_STOPPING: UNAVAILABLE,
    MQRC.Q_MGR_NOT_AVAILABLE: UNAVAILABLE,
    MQRC.OBJECT_IN_USE: CONFLICT,
    MQRC.MD_ERROR: BAD_REQUEST,
    MQRC.EXPIRY_ERROR: BAD_REQUEST,
    MQRC.PRIORITY_ERROR: BAD_REQUEST,
    MQRC.PERSISTENCE_ERROR: BAD_REQUEST,
    MQRC.MSG_TYPE_ERROR: BAD_REQUEST,
    MQRC.REPORT_OPTIONS_ERROR: BAD_REQUEST,
    MQRC.MISSING_REPLY_TO_Q: BAD_REQUEST,
    MQRC.OPTIONS_ERROR: BAD_REQUEST,
    MQRC.SELECTION_NOT_AVAILABLE: BAD_REQUEST,
    MQRC.SELECTION_STRING_ERROR: BAD_REQUEST,
    MQRC.SELECTOR_ALWAYS_FALSE: BAD_REQUEST,
}


class RestError(MQBridgeError):
    """A request that is answered with an error.

    ``status``: HTTP status. ``reason``: MQRC value, 0 if the request itself is wrong. ``message_id``: IBM's message id.
    ``action``: how to correct it. ``headers``: of the response. ``anonymous``: who is not known may learn it.
    """

    def __init__(
        self,
        status: int,
        text: str,
        *,
        reason: int = MQRC.NONE,
        message_id: str = "MQWB0303E",
        action: str = "",
        headers: Mapping[str, str] | None = None,
        anonymous: bool = False,
    ) -> None:
        super().__init__(text)
        self.status = status
        self.reason = int(reason)
        self.message_id = message_id
        self.action = action
        self.headers = headers or {}
        self.anonymous = anonymous

    def document(self) -> dict[str, Any]:
        """The body of the response."""
        return {
            "error": [
                {
                    "type": "rest",
                    "msgId": self.message_id,
                    "completionCode": MQCC.FAILED if self.reason else MQCC.OK,
                    "reasonCode": self.reason,
                    "message": f"{self.message_id}: {self}",
                    "explanation": str(MQRC(self.reason)) if self.reason else "",
                    "action": self.action,
                }
            ]
        }


def status_of(reason: int) -> int:
    """The HTTP status for an MQRC value."""
    return _STATUS_OF_REASON.get(reason, SERVER_ERROR)


def from_mq_error(error: MQError) -> RestError:
    """The error for a failed call."""
    message_id = "MQWB0103E" if error.reason == MQRC.NOT_AUTHORIZED else "MQWB0303E"
    return RestError(status_of(error.reason), str(error), reason=error.reason, message_id=message_id)


def bad_request(text: str, *, message_id: str = "MQWB0302E") -> RestError:
    """The error for a header, parameter or body that is not valid."""
    return RestError(BAD_REQUEST, text, message_id=message_id)


def role_missing(name: str, roles: Iterable[WebRole]) -> RestError:
    """The error for a request that the role of a user does not allow."""
    needed = "', '".join(role.value for role in roles)
    return RestError(
        FORBIDDEN,
        f"The authenticated principal '{name}' is not granted access to any of the required roles: '{needed}'.",
        message_id="MQWB0108E",
        action="use a user who is in a group that [web] administrators or readers names",
    )
