"""User and password of clients, and a client that signs on with any bytes for them."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Any

from mqbridge.protocol.constants import MQCSP, ByteOrder, SegmentType
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.structures import UID
from mqbridge.protocol.structures.conauth import CAUT, CAUT_13
from support.clients.playbook import Answer, initial_data
from support.clients.socket_program import SocketProgram

UTF_8 = SegmentWriter(ByteOrder.LITTLE, 1208)
_PASSWORD_LEVEL = 13
"""From this level on CONAUTH_INFO has its later form."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a client gives, in UTF-8. ``compatible``: beside the user of its system, in compatibility mode."""

    user: bytes
    password: bytes
    kind: int = int(MQCSP.AUTH_USER_ID_AND_PWD)
    compatible: bool = False


def user_data(credentials: Credentials, order: ByteOrder) -> bytes:
    """The body of USERID_DATA, whose fields cut what is too long."""
    user, password = credentials.user, credentials.password
    fields = {"user_id": user.upper()[:12].ljust(12), "password": password[:12].ljust(12)}
    return bytes(UID.codec(order)(**fields, long_user_id=user[:64].ljust(64)).build())


def conauth(credentials: Credentials, order: ByteOrder, *, late: bool = False) -> bytes:
    """The body of CONAUTH_INFO; ``late``: of level 13 and up."""
    user, password = credentials.user, credentials.password
    values: dict[str, Any] = {
        "struc_id": b"CAUT",
        "auth_type": credentials.kind,
        "user_id_max_length": len(user),
        "password_max_length": len(password),
        "user_id_length": len(user),
        "password_length": len(password),
        "user_id": user,
        "password": password,
        "padding": b"",
    }
    return CAUT_13.build({**values, "reserved": bytes(8)}, order) if late else CAUT.build(values, order)


class SigningClient(SocketProgram):
    """A client on a connection that is made already."""

    def __init__(self, made: socket.socket) -> None:
        super().__init__(made)
        self.writer = UTF_8
        self.level = 0

    def signs_on(self, channel: str, credentials: Credentials | None, stated: bytes) -> Answer:
        """Negotiate, state the user of its system, give user and password, and ask to be connected; the last answer:
        that to MQCONN, or the refusal before it."""
        answer = self.agrees(channel)
        if answer.type != SegmentType.INITIAL_DATA:
            return answer
        beside = credentials if credentials is not None and credentials.compatible else Credentials(stated, b"")
        self.send(self.segment(SegmentType.USERID_DATA, user_data(beside, self.writer.order)))
        if credentials is not None and not credentials.compatible:
            answer = self.asks(self.conauth(credentials))
            if answer.flags != 0x40:
                return answer
        return self.asks(self.mqconn("MARS"))

    def agrees(self, channel: str) -> Answer:
        """Negotiate; the last answer."""
        values: dict[str, Any] = {"channel_name": channel, "q_mgr_name": "MARS", "max_message_size": 104857600}
        for _ in range(3):
            answer = self.asks(initial_data(self.writer, **values))
            if answer.type != SegmentType.INITIAL_DATA or not answer.flags:
                break
            agreed = answer.id.record
            for name in ("fap_level", "max_transmission_size", "max_message_size", "heartbeat_interval"):
                values[name] = getattr(agreed, name)
        self.level = values.get("fap_level", 17)
        return answer

    def conauth(self, credentials: Credentials) -> bytes:
        """CONAUTH_INFO, of the agreed level."""
        body = conauth(credentials, self.writer.order, late=self.level >= _PASSWORD_LEVEL)
        return self.segment(SegmentType.CONAUTH_INFO, body)
