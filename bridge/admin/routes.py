"""Routes: the handler for each method and path."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote

from .carriers import CarrierList, ExplainRoutes, StartCarrier, StopCarrier
from .commands import RunCommand
from .definitions import DefinitionsScript
from .errors import METHOD_NOT_ALLOWED, NOT_FOUND, RestError
from .everyplace import (
    Administer,
    AdministrationReplies,
    CheckAddress,
    EnrolDevice,
    ForgetReply,
    GatewayStatus,
    ReadmitDevice,
    RevokeDevice,
)
from .exchange import RestExchange
from .gets import browse_messages, get_messages
from .handlers import Handler
from .logins import LogIn, LogOut, WhoAsks
from .message_lists import MessageList
from .puts import put_messages
from .queue_managers import QueueManagers
from .unit_requests import BackoutUnit, CommitUnit, OpenUnit

Maker = Callable[[RestExchange], Handler]
FindRoute = Callable[[str, str], tuple[Maker, dict[str, str]]]
"""See `find_route`."""

_IBM: Final = r"/ibmmq/rest/v(?P<version>[123])"
_OURS: Final = r"/mqbridge/v1/qmgr/(?P<qmgr>[^/]+)"
_QUEUE: Final = _IBM + r"/messaging/qmgr/(?P<qmgr>[^/]+)/queue/(?P<queue>[^/]+)"

ROUTES: Final[tuple[tuple[str, dict[str, Maker]], ...]] = (
    (_IBM + r"/login", {"GET": WhoAsks, "POST": LogIn, "DELETE": LogOut}),
    (_IBM + r"/admin/qmgr", {"GET": QueueManagers}),
    (_IBM + r"/admin/qmgr/(?P<qmgr>[^/]+)", {"GET": QueueManagers}),
    (_IBM + r"/admin/action/qmgr/(?P<qmgr>[^/]+)/mqsc", {"POST": RunCommand}),
    (_QUEUE + r"/message", {"POST": put_messages, "GET": browse_messages, "DELETE": get_messages}),
    (_QUEUE + r"/messagelist", {"GET": MessageList}),
    (_OURS + r"/definitions", {"GET": DefinitionsScript}),
    (_OURS + r"/routes", {"GET": CarrierList}),
    (_OURS + r"/routes/(?P<route>[^/]+)/start", {"POST": StartCarrier}),
    (_OURS + r"/routes/(?P<route>[^/]+)/stop", {"POST": StopCarrier}),
    (_OURS + r"/explain", {"POST": ExplainRoutes}),
    (_OURS + r"/everyplace", {"GET": GatewayStatus}),
    (_OURS + r"/everyplace/check", {"GET": CheckAddress}),
    (_OURS + r"/everyplace/replies", {"GET": AdministrationReplies}),
    (_OURS + r"/everyplace/replies/(?P<request>[^/]+)", {"DELETE": ForgetReply}),
    (_OURS + r"/everyplace/devices/(?P<device>[^/]+)/admin", {"POST": Administer}),
    (_OURS + r"/everyplace/devices/(?P<device>[^/]+)/enrol", {"POST": EnrolDevice}),
    (_OURS + r"/everyplace/devices/(?P<device>[^/]+)/revoke", {"POST": RevokeDevice}),
    (_OURS + r"/everyplace/devices/(?P<device>[^/]+)/readmit", {"POST": ReadmitDevice}),
    (_OURS + r"/unit", {"POST": OpenUnit}),
    (_OURS + r"/unit/(?P<unit>[^/]+)/commit", {"POST": CommitUnit}),
    (_OURS + r"/unit/(?P<unit>[^/]+)/backout", {"POST": BackoutUnit}),
)
"""Path patterns whose groups are `RestExchange.names`, with the creator of a handler for each method."""
_COMPILED: Final = tuple((re.compile(pattern), methods) for pattern, methods in ROUTES)


def find_route(method: str, path: str) -> tuple[Maker, dict[str, str]]:
    """Return the creator of the handler and the path parameters. Raises `RestError` 404 or 405."""
    for pattern, methods in _COMPILED:
        match = pattern.fullmatch(path.rstrip("/"))
        if match is None:
            continue
        make = methods.get(method)
        if make is None:
            raise RestError(
                METHOD_NOT_ALLOWED,
                f"{method} is not for {path}",
                message_id="MQWB0116E",
                headers={"Allow": ", ".join(sorted(methods))},
            )
        return make, {name: unquote(text) for name, text in match.groupdict().items()}
    raise RestError(NOT_FOUND, f"there is nothing at {path}", message_id="MQWB0116E")
