"""Programs of clients on their way in, on a whole queue manager with its clock (channels.md 15)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
from mqbridge.bridge.agents.gateway.inbound_handshake import InboundHandshake
from mqbridge.bridge.agents.svrconn.admission import ClientAdmission
from mqbridge.bridge.security import Credentials
from mqbridge.protocol.constants import MQRC
from support.gateway.stage import Stage, Station
from support.queue_manager.security_records import people

pytestmark = pytest.mark.spec("channels.md 15")

RIGHT, WRONG = Credentials("alice", "wonderland"), Credentials("alice", "no")
SECURED = "ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) FAILDLAY(3)"
ALICE = "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('alice') AUTHADD(CONNECT)"


class Door:
    """A queue manager, one connection of a client, and what its programs were told."""

    def __init__(self, *commands: str, channel: str = "DEV.APP.SVRCONN") -> None:
        self.stage = Stage()
        self.station: Station = self.stage.station("MARS")
        for command in commands:
            self.station.types(command)
        self.station.manager.security.take_users(people())
        self.channel = channel
        self.told: list[tuple[int, str, float]] = []
        self.connection, self.admission = self.comes()

    def comes(self, address: str = "10.0.0.7") -> tuple[ConversationDriver, ClientAdmission]:
        channel_manager = self.station.gateway.channel_manager
        connection = ConversationDriver(self.station.gateway.connections, address, 5000)
        connection.conversation = InboundHandshake(channel_manager, connection, self.stage.clock.now)
        definition = self.station.manager.objects.channel(self.channel)
        assert definition is not None
        return connection, ClientAdmission(channel_manager, definition, connection)

    def connects(self, credentials: Credentials | None = None, user: str = "joe") -> None:
        now = self.stage.clock.now

        def then(reason: int, runs_as: str, at: float) -> None:
            self.told.append((reason, runs_as, at - now))

        def call() -> None:
            self.admission.connect(user, credentials, "amqsput", now, then)

        self.station.call(call)

    def wait(self, seconds: float) -> None:
        self.stage.wait(seconds)
        self.station.call(lambda: self.admission.timeout(self.stage.clock.now))

    def outcome(self) -> Any:
        (told,) = self.told
        return told


def test_without_a_password_it_is_in_at_once() -> None:
    door = Door()
    assert door.admission.enter()
    door.connects()
    assert door.outcome() == (0, "app", 0.0)


def test_a_right_password_takes_the_time_of_its_hash() -> None:
    door = Door(SECURED, ALICE)
    door.admission.enter()
    door.connects(RIGHT)
    assert door.told == []
    door.wait(1)
    assert door.outcome() == (0, "alice", pytest.approx(0.3))


def test_a_wrong_one_is_told_after_the_delay() -> None:
    door = Door(SECURED, ALICE)
    door.admission.enter()
    door.connects(WRONG)
    door.wait(1)
    assert door.told == []
    assert door.admission.next_timeout() == pytest.approx(door.stage.clock.now - 1 + 3.3)
    door.wait(3)
    assert door.outcome()[0] == MQRC.NOT_AUTHORIZED
    assert door.admission.next_timeout() is None
    assert door.station.logged("AMQ5534") == ["alice 10.0.0.7"]


def test_the_next_conversations_are_in_at_once() -> None:
    door = Door(SECURED, ALICE)
    door.admission.enter()
    door.station.manager.security.authenticator._key = b"k" * 32
    door.connects(RIGHT)
    door.wait(1)
    door.connects(RIGHT)
    assert door.told[1] == (0, "alice", 0.0)


def test_a_guesser_waits_longer_and_longer() -> None:
    door = Door(SECURED, ALICE)
    door.admission.enter()
    for _ in range(9):
        door.connects(WRONG)
        for _ in range(10):
            door.wait(1)
    assert len(door.told) == 9
    assert [reason for reason, _, _ in door.told] == [MQRC.NOT_AUTHORIZED] * 9
    for _ in range(12):
        door.connects(WRONG)
    door.wait(1)
    assert len(door.told) < 21
    assert door.station.logged("AMQ5538") == ["user alice"]


def test_a_client_that_is_gone_is_told_nothing_and_counted_all_the_same() -> None:
    door = Door(SECURED, ALICE)
    door.admission.enter()
    door.connects(WRONG)
    door.admission.leave()
    door.wait(10)
    assert door.told == []
    assert door.station.logged("AMQ5534")


def test_a_blocked_user_is_refused_and_told_about() -> None:
    door = Door("SET CHLAUTH('DEV.*') TYPE(BLOCKUSER) USERLIST('app')")
    door.admission.enter()
    door.connects()
    assert door.outcome()[0] == MQRC.NOT_AUTHORIZED
    assert door.station.logged("AMQ9776")


@pytest.mark.parametrize(
    ("limits", "entered", "amq"),
    [("MAXINST(2)", [True, True, False, False], "AMQ9489"), ("MAXINSTC(2)", [True, True, False, True], "AMQ9490")],
)
def test_instances_of_a_channel(limits: str, entered: list[bool], amq: str) -> None:
    door = Door(f"ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) {limits}")
    ends = [door.comes(address)[1] for address in ("10.0.0.7", "10.0.0.7", "10.0.0.7", "10.0.0.8")]
    assert [end.enter() for end in ends] == entered
    door.stage.wait(0.1)
    ends[0].leave()
    ends[0].leave()
    assert ends[2].enter()
    assert not door.comes("10.0.0.7")[1].enter()
    door.station.call(lambda: None)
    assert door.station.logged(amq)
