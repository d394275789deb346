"""Clients at the door of a whole queue manager: who they say they are, the passwords they give, what they are told."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.security import hash_password
from mqbridge.protocol.constants import MQOO, MQOT, MQRC, SegmentType
from mqbridge.protocol.structures import UID, make_od, make_sd
from mqbridge.protocol.structures.conauth import CAUT, CAUT_13
from mqbridge.protocol.structures.md import MD
from mqbridge.protocol.structures.pmo import make_pmo
from mqbridge.protocol.structures.sub import SUB
from support.clients.program import CHANNEL, ClientProgram, comes, with_clients
from support.gateway.stage import Stage, Station
from support.queue_manager.security_records import CHEAP, people

SECURED = "ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT({}) FAILDLAY({})"
OWN_USERS = f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) MCAUSER(' ')"


def may(user: str, profile: str, *words: str, kind: str = "QUEUE") -> str:
    """The command that gives a user authorities."""
    whose = "" if kind == "QMGR" else f"PROFILE('{profile}') "
    return f"SET AUTHREC {whose}OBJTYPE({kind}) PRINCIPAL('{user}') AUTHADD({','.join(words)})"


def may_not(user: str, profile: str, *words: str, kind: str = "QUEUE") -> str:
    """The command that takes authorities away."""
    return may(user, profile, *words, kind=kind).replace("AUTHADD", "AUTHRMV")


CONNECT = [may("alice", "", "CONNECT", kind="QMGR"), may("joe", "", "CONNECT", kind="QMGR")]


class Door:
    """Queue manager MARS, to whose channel CLIENTS clients come as whom they say they are."""

    def __init__(self, *commands: str, check: str = "", delay: int = 0, conversations: int = 10) -> None:
        self.stage: Stage
        self.mars: Station
        self.stage, self.mars = with_clients(conversations=conversations)
        self.conversations = conversations
        for command in [OWN_USERS, *CONNECT, *commands]:
            self.mars.types(command)
        if check:
            self.mars.types(SECURED.format(check, delay))
        security = self.mars.manager.security
        security.take_users(people())
        security.authenticator._decoy = hash_password("decoy", b"salt" * 4, CHEAP)

    def comes(self, user: str = "joe", *, password: str = "", **caller: Any) -> Guest:
        """A client that has agreed on everything and said who it is; ``password`` as in compatibility mode."""
        client = comes(self.stage, conversations=self.conversations, **caller)
        guest = Guest(self, client)
        client.sends(guest.user_id(user, password))
        return guest

    def connected(self, user: str = "joe", **caller: Any) -> Guest:
        """A client that came in without a password."""
        guest = self.comes(user, **caller)
        assert guest.connects() == (0, 0)
        return guest

    def logged(self, amq: str) -> list[str]:
        """What the operator was told under this message id."""
        return self.mars.logged(amq)


class Guest:
    """A client of `Door`."""

    def __init__(self, door: Door, client: ClientProgram) -> None:
        self.door = door
        self.client = client

    # Signing on

    def user_id(self, user: str, password: str = "") -> bytes:
        """USERID_DATA."""
        body = UID.codec(self.client.writer.order)(
            user_id=user.upper()[:12].ljust(12).encode(),
            password=password.ljust(12).encode(),
            long_user_id=user.ljust(64).encode(),
        )
        return self.client.segment(SegmentType.USERID_DATA, body.build())

    def conauth(self, user: str, password: str, *, reserved: bool = False, **header: Any) -> bytes:
        """CONAUTH_INFO, of level 13 and up with ``reserved``."""
        values = {
            "struc_id": b"CAUT",
            "auth_type": 1,
            "user_id_max_length": len(user),
            "password_max_length": len(password),
            "user_id_length": len(user),
            "password_length": len(password),
            "user_id": user.encode(),
            "password": password.encode(),
            "padding": b"",
        }
        order = self.client.writer.order
        body = CAUT_13.build({**values, "reserved": bytes(8)}, order) if reserved else CAUT.build(values, order)
        return self.client.segment(SegmentType.CONAUTH_INFO, body, **header)

    def signs_on(self, user: str, password: str, **header: Any) -> None:
        """Gives user and password, which is acknowledged without a judgement."""
        answer = self.client.asks(self.conauth(user, password, **header))
        assert (answer.type, answer.flags, answer.body) == (SegmentType.STATUS_DATA, 0x40, b"")

    def asks_in(self, **header: Any) -> None:
        """MQCONN; the answer is still to come."""
        self.client._stream.send(self.client._side, self.client.mqconn("MARS", **header))

    @property
    def answered(self) -> bool:
        """Whether there is an answer."""
        return bool(self.client._heard)

    def told(self) -> tuple[int, int] | None:
        """What it was told since the last question, if it was."""
        answers = self.client.hears()
        assert len(answers) <= 1
        return answers[0].outcome if answers else None

    def connects(self, seconds: float = 1.0, **header: Any) -> tuple[int, int] | None:
        """MQCONN, and what is told within some seconds."""
        self.asks_in(**header)
        self.door.stage.wait(seconds)
        return self.told()

    @property
    def runs_as(self) -> str:
        """Who its program is."""
        return self.door.mars.row(CHANNEL)["MCAUSER"]

    # Calls

    def od(self, name: str, *, kind: int = MQOT.Q, string: str = "", **fields: Any) -> bytes:
        """An OD."""
        values = {"object_type": int(kind), "object_name": name.ljust(48).encode()}
        values |= {key: value.ljust(48 if "name" in key else 12).encode() for key, value in fields.items()}
        strings = {"object_string": string.encode() if string else None}
        return make_od(self.client.writer.order, 4, strings=strings, **values).build()

    def open(self, name: str, options: int, **fields: Any) -> tuple[int, int]:
        """MQOPEN: handle and reason. ``fields`` of the OD; ``kind``: its ObjectType; ``string``: its ObjectString."""
        client = self.client
        answer = client.asks(client.call(SegmentType.MQOPEN, self.od(name, **fields), client.word(int(options))))
        return int(answer.api.object_handle), answer.outcome[1]

    def opens(self, name: str, options: int, **fields: Any) -> int:
        """MQOPEN that is to work."""
        handle, reason = self.open(name, options, **fields)
        assert reason == 0, reason
        return handle

    def put1(self, name: str, options: int = 0, **fields: Any) -> int:
        """MQPUT1; the reason."""
        client, data = self.client, b"data"
        md = MD.codec(client.writer.order)(version=2, expiry=-1, coded_char_set_id=819, encoding=0x222)
        pmo = make_pmo(client.writer.order, 2, options=int(options)).build()
        body = self.od(name, **fields) + md.build() + pmo + client.word(len(data)) + data
        return int(client.asks(client.call(SegmentType.MQPUT1, body, handle=-1)).outcome[1])

    def subscribe(self, topic: str, options: int, *, name: str = "", handle: int = -1, user: str = "") -> int:
        """MQSUB; the reason."""
        client = self.client
        order = client.writer.order
        strings = {"object_string": topic.encode() if topic else None, "sub_name": name.encode() if name else None}
        sd = make_sd(order, strings=strings, options=int(options), alternate_user_id=user.ljust(12).encode())
        body = SUB.codec(order)().build() + sd.build()
        return int(client.asks(client.call(SegmentType.MQSUB, body, handle=handle)).outcome[1])

    def close(self, handle: int, options: int = 0) -> int:
        """MQCLOSE; the reason."""
        client = self.client
        body = client.word(int(options))
        return int(client.asks(client.call(SegmentType.MQCLOSE, body, handle=handle)).outcome[1])


ACCESS = {
    "GET": MQOO.INPUT_SHARED,
    "BROWSE": MQOO.BROWSE,
    "PUT": MQOO.OUTPUT,
    "INQ": MQOO.INQUIRE,
    "SET": MQOO.SET,
    "PASSID": MQOO.OUTPUT | MQOO.PASS_IDENTITY_CONTEXT,
    "PASSALL": MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT,
    "SETID": MQOO.OUTPUT | MQOO.SET_IDENTITY_CONTEXT,
    "SETALL": MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT,
}
"""An open that needs each authority (with PUT for those about context)."""

NO = int(MQRC.NOT_AUTHORIZED)
OBJECTS = [
    "DEFINE QALIAS(ALIAS) TARGET(TARGET)",
    "DEFINE QREMOTE(FAR) RNAME(THERE) RQMNAME(VENUS) XMITQ(VENUS)",
    "DEFINE QLOCAL(VENUS) USAGE(XMITQ)",
    "DEFINE QMODEL(TEMPORARY) DEFTYPE(TEMPDYN)",
    "DEFINE QMODEL(PERMANENT) DEFTYPE(PERMDYN)",
    "DEFINE TOPIC(NEWS) TOPICSTR('news')",
    "DEFINE TOPIC(SECRET) TOPICSTR('news/secret')",
    "DEFINE QALIAS(PAPER) TARGTYPE(TOPIC) TARGET(NEWS)",
    "DEFINE PROCESS(PROGRAM)",
    "DEFINE NAMELIST(LIST)",
]


def guest_with(*commands: str) -> Guest:
    """joe, connected, where there are some objects; commands give him authorities."""
    return Door(*OBJECTS, *commands).connected()


def denied(guest: Guest) -> list[str]:
    """What the operator was told of missing authorities since the last question."""
    lines = guest.door.logged("AMQ8077")
    guest.door.mars.lines.clear()
    return lines


def as_app() -> Guest:
    """A client whose channel says that it is the user app, which is supplied with authorities."""
    return Door(*OBJECTS, "ALTER CHANNEL(CLIENTS) CHLTYPE(SVRCONN) MCAUSER('app')").connected("whoever")
