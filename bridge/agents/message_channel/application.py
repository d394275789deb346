"""The channel program as an application that puts and gets."""

from __future__ import annotations

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.queue_manager import Application
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security import channel_user
from mqbridge.protocol.constants import MQAT


def user_of(definition: Definition, connection: PartnerConnection) -> str:
    """Whom a channel runs as on a connection."""
    return channel_user(definition) if connection.user is None else connection.user


def application_of(queue_manager: str, definition: Definition, connection: PartnerConnection) -> Application:
    """The channel program of a queue manager as the putting or getting application."""
    return Application(
        user=user_of(definition, connection),
        appl_type=MQAT.QMGR,
        appl_name=queue_manager[:28],
        channel=definition.name,
        connection=connection.peer,
    )
