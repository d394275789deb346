"""Cases of the rules for security (C-6nn)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.captures.generate.cases.files import tls
from mqbridge.captures.generate.cases.making import (
    both_say,
    case,
    client,
    end_marked,
    marked,
)
from mqbridge.captures.generate.clients import ALL_OPTIONS, ClientRun
from mqbridge.protocol.constants import MQOO, MQRC, SegmentType
from mqbridge.protocol.mqi import Connect, Open, Passwords
from mqbridge.protocol.mqi_client import ObjectName

_CREDENTIALS: Final = SegmentType.CONAUTH_INFO
_OPENED: Final = SegmentType.MQOPEN_REPLY
_PLAIN: Final = client()
_CLEAR: Final[dict[str, Any]] = {
    "client": {"user": "app", "password": "secret99"},
    "server": {"passwords": Passwords.CLEAR},
}
_PROTECTED: Final[dict[str, Any]] = {
    "client": {"user": "app", "password": "secret99", "secured": True},
    "server": {"passwords": Passwords.INSIDE_TLS},
}
_ALGORITHM: Final = b"\0\1" + 18 * b"\xff"  # in the byte order of the segment: number 256, or 1
_COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"


def _opens(options: int) -> Any:
    """Return a program that opens its queue with these options."""

    def program(run: ClientRun) -> None:
        call = run.done(run.client.calls.open(ObjectName(name=run.traffic.queue), options, run.now))
        run.handle = call.handle
        run.close()

    return program


case("C-601", client(marked(_CREDENTIALS), **_CLEAR), client(*both_say("pal", _ALGORITHM), **_PROTECTED))
case("C-602", client(*both_say("pal", _ALGORITHM), marked(_CREDENTIALS), **_PROTECTED), client(**_CLEAR))
case("C-603", client(end_marked), tls())
case(
    "C-604",
    client(end_marked, channel="SYSTEM.DEF.SVRCONN"),
    client(channel="SYSTEM.DEF.SVRCONN", refuse={Connect: MQRC.NOT_AUTHORIZED}),
)
case("C-605", client(marked(SegmentType.USERID_DATA), user="mqm"), client(user="mqmx"))
case("C-606", client(end_marked, user=""), _PLAIN)
case("C-607", client(end_marked), client(**_CLEAR))
case("C-608", client(marked(_OPENED), program=_opens(MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT)), _PLAIN)
case("C-609", tls(0x0301), tls(0x0303))
case(
    "C-610",
    client(marked(_OPENED), queue=_COMMAND_QUEUE, program=_opens(ALL_OPTIONS)),
    client(queue=_COMMAND_QUEUE, program=_opens(MQOO.INQUIRE)),
)
case(
    "C-611",
    client(marked(_OPENED), refuse={Open: MQRC.NOT_AUTHORIZED}),
    client(refuse={Open: MQRC.UNKNOWN_OBJECT_NAME}),
)
case("C-612", tls(suite=0x0005), tls(suite=0xC030))
case("C-613", tls(alert=40), tls(alert=0))
