"""SOCKET, the body of SOCKET_ACTION: start and end of conversations on a shared connection, mq-wire.md 5.11.

The two ids are in the byte order of the segment, unlike those of the TSHM header.
"""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import SocketAction
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.socket_action import SocketBig, SocketLittle


def _socket(n: Numbers) -> Any:
    return Struct(
        n.u32("ConversationId", "conversation concerned"),
        n.u32("RequestId", "request inside the conversation"),
        n.u32("Type", "what happens", names=SocketAction),
        n.u32("Parm1", "thread of the sender, or 0"),
        n.u32("Parm2", "trace number of the sender, or 0"),
    )


SOCKET = Structure("SOCKET", _socket, SocketBig, SocketLittle, spec="mq-wire.md 5.11")
"""20 bytes, behind a TSHC from clients and behind a TSHM in the server's answer."""
