"""From what a program asks for to the attributes of the subscription's definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqbridge.bridge.queue_manager.objects import date_and_time
from mqbridge.protocol.constants import MQSO

from .subscription import priority_word

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.objects import Value

    from .requests import SubscriptionRequest


def new_values(
    request: SubscriptionRequest, topic: str, destination: tuple[str, str], ids: tuple[bytes, bytes], now: float
) -> dict[str, Value]:
    """Attributes of a new subscription. ``destination``: queue and queue manager. ``ids``: its SUBID, and its CorrelId
    where the program gives none."""
    day, clock = date_and_time(now)
    return {
        "TOPICSTR": topic,
        "TOPICOBJ": request.object_name,
        "DEST": destination[0],
        "DESTQMGR": destination[1],
        "DESTCLAS": "MANAGED" if request.has(MQSO.MANAGED) else "PROVIDED",
        "SELECTOR": request.selection,
        "SUBLEVEL": request.level,
        "SUBSCOPE": "QMGR" if request.has(MQSO.SCOPE_QMGR) else "ALL",
        "WSCHEMA": "CHAR" if request.has(MQSO.WILDCARD_CHAR) else "TOPIC",
        "SUBID": ids[0].hex().upper(),
        "DURABLE": "YES" if request.has(MQSO.DURABLE) else "NO",
        "SUBTYPE": "API",
        "GROUPSUB": "YES" if request.has(MQSO.GROUP_SUB) else "NO",
        "SHARED": "YES" if request.shared else "NO",
        "DESTCORL": ids[1].hex().upper(),
        "CRDATE": day,
        "CRTIME": clock,
        "ALTDATE": day,
        "ALTTIME": clock,
        **alterable_values(request),
    }


def alterable_values(request: SubscriptionRequest) -> dict[str, Value]:
    """Attributes that a request sets, whether the subscription is new or altered."""
    values: dict[str, Value] = {
        "EXPIRY": request.expiry,
        "USERDATA": request.user_data,
        "PUBPRTY": priority_word(request.priority),
        "REQONLY": "YES" if request.has(MQSO.PUBLICATIONS_ON_REQUEST) else "NO",
        "SUBUSER": request.application.user,
        "VARUSER": "ANY" if request.has(MQSO.ANY_USERID) else "FIXED",
    }
    if request.has(MQSO.SET_CORREL_ID):
        values["DESTCORL"] = request.correl_id.hex().upper()
    if request.has(MQSO.SET_IDENTITY_CONTEXT):
        values["PUBACCT"] = request.accounting_token.hex().upper()
        values["PUBAPPID"] = request.appl_identity_data
    elif request.has(MQSO.CREATE):
        values["PUBACCT"] = request.application.accounting_token.hex().upper()
    return values
