"""The channel program as a putting or getting application."""

from __future__ import annotations

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.queue_manager import Application
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security import channel_user
from mqbridge.protocol.constants import MQAT


def user_of(definition: Definition, connection: PartnerConnection) -> str:
    """The user that a channel runs as on a connection."""
    return channel_user(definition) if connection.user is None else connection.user


def application_of(queue_manager: str, definition: Definition, connection: PartnerConnection) -> Application:
    """The application of a channel program."""
    return Application(
        user=user_of(definition, connection),
        appl_type=MQAT.QMGR,
        appl_name=queue_manager[:28],
        channel=definition.name,
        connection=connection.peer,
    )
