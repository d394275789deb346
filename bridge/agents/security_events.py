"""Events about who may not come in, on SYSTEM.ADMIN.CHANNEL.EVENT: refusals by TLS and by CHLAUTH (tls.md T-08).

SSLEV(ENABLED) asks for those of TLS, CHLEV (ENABLED or EXCEPTION) for those of CHLAUTH.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security import Block, Caller
from mqbridge.bridge.security.tls import TlsFault
from mqbridge.mappings.events import EventParameter
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCA, MQCACF, MQCACH, MQCMD, MQIACF, MQIACH, MQRC, MQRQ

_STAGE_LENGTH: Final = 32
"""MQ_SSL_HANDSHAKE_STAGE_LENGTH."""


def refused_by_tls(
    manager: QueueManager,
    fault: TlsFault,
    connection_name: str,
    now: Time,
    *,
    definition: Definition | None = None,
    peer_name: str = "",
) -> None:
    """Report that TLS does not let a channel run (MQRC_CHANNEL_SSL_ERROR), if the fault has a qualifier.

    ``definition``: of the channel, if it is known. ``peer_name``: the partner's certificate, as SSLPEER shows it.
    """
    if not manager.events.tls or not fault.qualifier:
        return
    about: list[EventParameter] = [(MQIACF.REASON_QUALIFIER, fault.qualifier)]
    if definition is not None:
        about.append((MQCACH.CHANNEL_NAME, definition.name))
        if definition.get("XMITQ"):
            about.append((MQCACH.XMIT_Q_NAME, definition.text("XMITQ")))
    about.append((MQCACH.CONNECTION_NAME, connection_name))
    if fault.qualifier == MQRQ.SSL_HANDSHAKE_ERROR:
        about.append((MQCACH.SSL_HANDSHAKE_STAGE, (fault.stage or fault.amq)[:_STAGE_LENGTH]))
        about.append((MQIACH.SSL_RETURN_CODE, fault.return_code))
    elif fault.qualifier == MQRQ.SSL_PEER_NAME_ERROR:
        about.append((MQCACH.SSL_PEER_NAME, peer_name))
    manager.events.put(MQCMD.CHANNEL_EVENT, MQRC.CHANNEL_SSL_ERROR, about, now)


def peer_name(connection: PartnerConnection | None) -> str:
    """The partner's certificate as SSLPEER shows it; blank if it sent none."""
    tls = connection.tls if connection is not None else None
    return tls.certificate.peer_name if tls is not None and tls.certificate is not None else ""


def blocked_address(manager: QueueManager, address: str, *, warning: bool, now: Time) -> None:
    """Report that BLOCKADDR refuses an address, or would refuse it but only warns."""
    if _wanted(manager):
        about: list[EventParameter] = [
            (MQIACF.REASON_QUALIFIER, MQRQ.CHANNEL_BLOCKED_ADDRESS),
            (MQCACH.CONNECTION_NAME, address),
        ]
        _put_blocked(manager, about, warning, now)


def blocked(manager: QueueManager, blocks: Iterable[Block], caller: Caller, now: Time) -> None:
    """Report the refusals of a channel by CHLAUTH records, those that only warn included."""
    if not _wanted(manager):
        return
    for block in blocks:
        about: list[EventParameter] = [
            (MQIACF.REASON_QUALIFIER, block.qualifier),
            (MQCACH.CHANNEL_NAME, caller.channel),
        ]
        if block.qualifier == MQRQ.CHANNEL_BLOCKED_USERID:
            about.append((MQCACF.USER_IDENTIFIER, block.user))
        about.append((MQCACH.CONNECTION_NAME, caller.address))
        if caller.queue_manager:
            about.append((MQCA.REMOTE_Q_MGR_NAME, caller.queue_manager))
        if caller.certificate is not None:
            about.append((MQCACH.SSL_PEER_NAME, caller.certificate.peer_name))
        if caller.client:
            about.append((MQCACH.CLIENT_USER_ID, caller.user))
        _put_blocked(manager, about, block.warning, now)


def _wanted(manager: QueueManager) -> bool:
    return manager.events.channel in ("ENABLED", "EXCEPTION")


def _put_blocked(manager: QueueManager, about: Iterable[EventParameter], warning: bool, now: Time) -> None:
    reason = MQRC.CHANNEL_BLOCKED_WARNING if warning else MQRC.CHANNEL_BLOCKED
    manager.events.put(MQCMD.CHANNEL_EVENT, reason, list(about), now)
