"""The channel program as an application that puts and gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqbridge.bridge.queue_manager import Application
from mqbridge.bridge.security import channel_user
from mqbridge.protocol.constants import MQAT

if TYPE_CHECKING:
    from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
    from mqbridge.bridge.agents.gateway.connection import Connection
    from mqbridge.bridge.queue_manager.objects import Definition


def application_of(channel_manager: ChannelManager, definition: Definition, connection: Connection) -> Application:
    """The channel program as the putting or getting application."""
    return Application(
        user=channel_user(definition) if connection.user is None else connection.user,
        appl_type=MQAT.QMGR,
        appl_name=channel_manager.manager.name[:28],
        channel=definition.name,
        connection=connection.peer,
    )
