"""Clients that come with right and wrong passwords, or none, and as whom their programs run (channels.md 14, 15)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.security import Users
from mqbridge.protocol.constants import MQOO, MQRC
from support.clients.door import Door, Guest, may
from support.clients.program import CHANNEL

pytestmark = pytest.mark.spec("channels.md 15")

REFUSED = (2, int(MQRC.NOT_AUTHORIZED))
IN = (0, 0)
CLEAR_LEVEL = 12


def level(guest: Guest) -> int:
    end = guest.door.mars.gateway.channel_manager.channels.named(CHANNEL).clients[-1]
    assert end.machine.agreed is not None
    return end.machine.agreed.fap_level


# Passwords


def test_without_a_check_anybody_comes_in_at_once_with_any_password() -> None:
    door = Door()
    guest = door.comes()
    guest.signs_on("alice", "no such password", reserved=True)
    assert level(guest) == 17
    assert guest.connects(0.05) == IN
    assert guest.runs_as == "joe"
    assert door.logged("AMQ5543") == []


@pytest.mark.spec("channels.md 15")
@pytest.mark.parametrize("adopts", ["YES", "NO"])
@pytest.mark.parametrize(("own", "runs_as"), [(" ", "joe"), ("app", "app")])
def test_where_nobody_looks_at_passwords_their_users_do_not_count(adopts: str, own: str, runs_as: str) -> None:
    door = Door(check="NONE")
    door.mars.types(f"ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) ADOPTCTX({adopts})")
    door.mars.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) MCAUSER('{own}')")
    for password in ("wonderland", "no such password"):
        guest = door.comes()
        guest.signs_on("alice", password, reserved=True)
        assert guest.connects(0.05) == IN
        assert guest.runs_as == runs_as
        guest.client.breaks_off()


@pytest.mark.spec("client-observed.md O-021", "client-observed.md O-023")
def test_the_right_password_is_looked_at_and_the_user_is_adopted() -> None:
    door = Door(check="REQUIRED")
    guest = door.comes()
    assert level(guest) == CLEAR_LEVEL
    guest.signs_on("alice", "wonderland")
    assert guest.connects(0.2) is None, "the hash is not done"
    door.stage.wait(0.2)
    assert guest.told() == IN
    assert guest.runs_as == "alice"


@pytest.mark.parametrize(
    ("user", "password"), [("alice", "no"), ("carol", "wonderland"), ("alice", ""), ("", "wonderland")]
)
def test_a_wrong_one_is_refused_after_the_delay(user: str, password: str) -> None:
    door = Door(check="REQUIRED", delay=3)
    guest = door.comes()
    guest.signs_on(user, password)
    assert guest.connects(3.0) is None
    door.stage.wait(0.5)
    assert guest.told() == REFUSED
    assert door.logged("AMQ5534") == [f"{user} 10.0.0.1" if user else " 10.0.0.1"]
    assert door.logged("AMQ5542")


def test_none_is_refused_where_one_is_required() -> None:
    door = Door(check="REQUIRED", delay=1)
    guest = door.comes()
    assert guest.connects(2.0) == REFUSED
    assert door.logged("AMQ5540")


def test_none_will_do_where_it_is_optional() -> None:
    door = Door(check="OPTIONAL")
    assert door.comes().connects(0.05) == IN
    guest = door.comes()
    guest.signs_on("alice", "no")
    assert guest.connects() == REFUSED


def test_a_client_that_was_refused_may_try_again() -> None:
    door = Door(check="REQUIRED")
    guest = door.comes()
    guest.signs_on("alice", "no")
    assert guest.connects() == REFUSED
    guest.signs_on("alice", "wonderland")
    assert guest.connects() == IN


@pytest.mark.spec("client-observed.md O-024")
@pytest.mark.parametrize(("password", "outcome"), [("wonderland", IN), ("no", REFUSED), ("", REFUSED)])
def test_in_compatibility_mode_it_stands_beside_the_user(password: str, outcome: tuple[int, int]) -> None:
    door = Door(check="REQUIRED")
    assert door.comes("alice", password=password).connects() == outcome


@pytest.mark.spec("client-observed.md O-040")
def test_later_conversations_have_the_user_of_the_first_and_their_own_password() -> None:
    door = Door(check="OPTIONAL")
    guest = door.connected("joe")
    guest.client.sends(guest.client.socket_action(3, 1))
    assert guest.connects(conversation=3) == IN
    assert {row["USERID"] for row in door.mars.rows("DISPLAY CONN(*) ALL")} == {"joe"}
    guest.client.sends(guest.client.socket_action(5, 1))
    guest.signs_on("alice", "no", conversation=5)
    assert guest.connects(conversation=5) == REFUSED
    guest.client.sends(guest.client.socket_action(7, 1))
    guest.signs_on("alice", "wonderland", conversation=7)
    assert guest.connects(conversation=7) == IN


def test_other_conversations_and_clients_go_on_while_a_password_is_looked_at() -> None:
    door = Door(may("joe", "TARGET", "PUT", "GET"), check="OPTIONAL", delay=5)
    guest, other = door.connected("joe"), door.connected("joe")
    guest.client.sends(guest.client.socket_action(3, 1))
    guest.signs_on("alice", "no", conversation=3)
    guest.asks_in(conversation=3)
    for each in (guest, other):
        handle = each.opens("TARGET", MQOO.OUTPUT)
        assert each.client.puts(b"meanwhile", handle).outcome == (0, 0)
    assert guest.told() is None
    door.stage.wait(6)
    assert guest.told() == REFUSED


def test_a_client_that_is_gone_meanwhile_is_counted_and_leaves_nothing() -> None:
    door = Door(check="REQUIRED", delay=2)
    guest = door.comes()
    guest.signs_on("alice", "no")
    guest.asks_in()
    door.stage.wait(0.1)
    guest.client.breaks_off()
    door.stage.wait(5)
    assert len(door.logged("AMQ5534")) == 1
    assert door.mars.status(CHANNEL) == "INACTIVE"
    assert len(door.mars.manager.connections) == 0


def test_a_conversation_that_ends_meanwhile_is_told_nothing() -> None:
    door = Door(check="OPTIONAL", delay=1)
    guest = door.connected()
    guest.client.sends(guest.client.socket_action(3, 1))
    guest.signs_on("alice", "wonderland", conversation=3)
    guest.asks_in(conversation=3)
    guest.client.sends(guest.client.socket_action(3, 2))
    door.stage.wait(3)
    assert guest.told() is None
    assert len(door.mars.manager.connections) == 1


@pytest.mark.faulty_traffic
def test_a_second_mqconn_while_the_first_waits_is_refused() -> None:
    door = Door(check="REQUIRED", delay=1)
    guest = door.comes()
    guest.signs_on("alice", "wonderland")
    guest.asks_in()
    assert guest.connects(0.1) == (2, int(MQRC.CALL_IN_PROGRESS))
    door.stage.wait(1)
    assert guest.told() == IN


# Protected and in clear


@pytest.mark.spec("client-observed.md O-022")
def test_a_protected_password_is_refused_and_the_operator_told_what_to_do() -> None:
    door = Door()
    guest = door.connected()
    assert level(guest) == 17
    door.mars.types("ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) FAILDLAY(0)")
    guest.client.sends(guest.client.socket_action(3, 1))
    guest.signs_on("alice", "wonderland", conversation=3, reserved=True)
    assert guest.connects(conversation=3) == REFUSED
    assert door.logged("AMQ5544") == [f"alice 10.0.0.1 {CHANNEL} {CHANNEL}"]
    assert door.logged("AMQ5534") == [], "it is not a wrong password"
    again = door.comes()
    again.signs_on("alice", "wonderland")
    assert again.connects() == IN


def test_the_operator_is_warned_once_that_passwords_travel_in_clear() -> None:
    door = Door(check="REQUIRED")
    for _ in range(3):
        door.comes()
    assert door.logged("AMQ5543") == [CHANNEL]


def test_a_record_of_the_channel_alone_may_ask_for_passwords() -> None:
    door = Door(
        f"SET CHLAUTH('{CHANNEL}') TYPE(ADDRESSMAP) ADDRESS('10.0.0.9') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)",
        check="OPTIONAL",
    )
    assert door.comes().connects() == IN
    guest = door.comes(address="10.0.0.9")
    assert level(guest) == CLEAR_LEVEL
    assert guest.connects() == REFUSED
    assert door.logged("AMQ9790")


def test_a_listener_for_other_machines_makes_passwords_required() -> None:
    door = Door("ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(ASQMGR) FAILDLAY(0)")
    assert level(door.comes()) == 17
    door.mars.gateway.channel_manager.listening_addresses.listening("0.0.0.0")
    guest = door.comes()
    assert level(guest) == CLEAR_LEVEL
    assert guest.connects() == REFUSED


# Channel authentication


@pytest.mark.spec("channels.md 14")
@pytest.mark.parametrize(
    ("record", "user", "outcome", "runs_as"),
    [
        ("TYPE(BLOCKUSER) USERLIST('joe')", "joe", REFUSED, ""),
        ("TYPE(BLOCKUSER) USERLIST('ann')", "joe", IN, "joe"),
        ("TYPE(BLOCKUSER) USERLIST('joe') WARN(YES)", "joe", IN, "joe"),
        ("TYPE(USERMAP) CLNTUSER('joe') USERSRC(MAP) MCAUSER('alice')", "joe", IN, "alice"),
        ("TYPE(USERMAP) CLNTUSER('joe') USERSRC(NOACCESS)", "joe", REFUSED, ""),
        ("TYPE(ADDRESSMAP) ADDRESS('10.0.0.*') USERSRC(NOACCESS)", "joe", REFUSED, ""),
        ("TYPE(ADDRESSMAP) ADDRESS('10.0.0.1') USERSRC(MAP) MCAUSER('alice')", "joe", IN, "alice"),
        ("TYPE(ADDRESSMAP) ADDRESS('10.0.1.*') USERSRC(NOACCESS)", "joe", IN, "joe"),
        ("TYPE(QMGRMAP) QMNAME('*') USERSRC(NOACCESS)", "joe", IN, "joe"),
    ],
)
def test_records_decide(record: str, user: str, outcome: tuple[int, int], runs_as: str) -> None:
    door = Door(f"SET CHLAUTH('CLIENT*') {record}")
    guest = door.comes(user)
    assert guest.connects() == outcome
    assert (guest.runs_as if outcome == IN else "") == runs_as
    assert bool(door.logged("AMQ9776") + door.logged("AMQ9777")) == (outcome == REFUSED or "WARN" in record)


def test_administrators_are_kept_out_by_default() -> None:
    door = Door()
    assert door.comes("mqm").connects() == REFUSED
    door.mars.types("SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN') ACTION(REMOVE)")
    assert door.comes("mqm").connects() == IN


def test_the_user_of_the_channel_counts_whoever_comes() -> None:
    door = Door(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) MCAUSER('app')")
    guest = door.comes("mqm")
    assert guest.connects() == IN
    assert guest.runs_as == "app"


def test_who_may_not_connect_is_refused() -> None:
    door = Door()
    assert door.comes("ann").connects() == REFUSED
    assert door.logged("AMQ8077") == ["ann self QMGR connect"]


@pytest.mark.parametrize(("limit", "amq"), [("MAXINST(1)", "AMQ9489"), ("MAXINSTC(1)", "AMQ9490")])
def test_instances_are_limited(limit: str, amq: str) -> None:
    door = Door(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) {limit}")
    first, second = door.connected(), door.comes()
    assert second.connects() == (2, int(MQRC.MAX_CONNS_LIMIT_REACHED))
    assert len(door.logged(amq)) == 1
    elsewhere = door.comes(address="10.0.0.8")
    assert elsewhere.connects() == (IN if "MAXINSTC" in limit else (2, int(MQRC.MAX_CONNS_LIMIT_REACHED)))
    elsewhere.client.breaks_off()
    second.client.breaks_off()
    assert first.client.disconnects() == (0, 0)
    first.client.breaks_off()
    assert door.comes().connects() == IN


# Guessers


def test_a_thousand_wrong_passwords_disturb_nobody_else() -> None:
    door = Door(may("alice", "TARGET", "PUT"), check="REQUIRED", delay=1)
    door.mars.manager.security.authenticator._key = b"k" * 32
    waits: dict[str, list[float]] = {"alice": [], "carol": []}
    for number in range(1000):
        name = ("alice", "carol")[number % 2]
        guesser = door.comes(address="10.0.0.66")
        guesser.signs_on(name, f"guess {number}")
        began = door.stage.clock.now
        guesser.asks_in()
        door.stage.wait_until(lambda guesser=guesser: guesser.answered)
        assert guesser.told() == REFUSED
        waits[name].append(door.stage.clock.now - began)
        guesser.client.breaks_off()
        if number % 100 == 0:
            alice = door.comes()
            alice.signs_on("alice", "wonderland")
            assert alice.connects() == IN
            assert alice.client.puts(b"work", alice.opens("TARGET", MQOO.OUTPUT)).outcome == (0, 0)
            alice.client.breaks_off()
    assert len(door.logged("AMQ5534")) == 1000
    assert 1 <= len(door.logged("AMQ5538")) <= 10
    assert waits["alice"][0] < 2
    assert min(waits["alice"][50:]) > 8, "a guess costs as long as one is not forgiven once there were many"
    assert sum(waits["alice"]) == pytest.approx(sum(waits["carol"]), rel=0.05), "nobody learns who exists"
    again = door.comes()
    again.signs_on("alice", "wonderland")
    assert again.connects(0.05) == IN, "who gave the right password before is not held up"


def test_users_that_are_gone_come_in_no_more() -> None:
    door = Door(check="REQUIRED")
    door.mars.manager.security.reload = Users
    guest = door.comes()
    guest.signs_on("alice", "wonderland")
    assert guest.connects() == REFUSED
