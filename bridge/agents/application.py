"""The channel program as an application that puts and gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.queue_manager import Application
from bridge.security import CHANNEL_USER
from protocol.constants import MQAT

from .definitions import RECEIVING

if TYPE_CHECKING:
    from bridge.queue_manager.objects import Definition

    from .connection import Connection
    from .supervisor import Supervisor


def channel_user(definition: Definition, mapped: str | None = None) -> str:
    """Who a channel puts and gets as: ``mapped`` by the channel authentication records where it was opened to us, else
    its MCAUSER. One that receives and has none is `CHANNEL_USER`, one that sends the queue manager itself (blank)."""
    user = definition.text("MCAUSER") if mapped is None else mapped
    return user or (CHANNEL_USER if definition.subtype in RECEIVING else "")


def application_of(supervisor: Supervisor, definition: Definition, connection: Connection) -> Application:
    """The channel program as the putting or getting application."""
    return Application(
        user=channel_user(definition, connection.user),
        appl_type=MQAT.QMGR,
        appl_name=supervisor.manager.name[:28],
        channel=definition.name,
        connection=connection.peer,
    )
