"""Links of a configuration: what is refused, and a queue manager that carries messages over real sockets."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mqbridge.bridge.agents.linking.settings import Duplicates, LinkSettings, ReceiveEnd, SendEnd
from mqbridge.bridge.config import parse_configuration
from mqbridge.bridge.service.errors import WRONG_CONFIGURATION, StartError
from mqbridge.bridge.service.links import Links
from support.linking.stand import Stand
from support.processes.running_service import MakeService, RunningService, wait_for

if TYPE_CHECKING:
    from support.linking.amqp_peer import AmqpPeer

FILE = Path("/etc/mq/queue-manager.toml")
ENDS = """\
send = [{ queue = "TO.STOCK", address = "stock.in" }]
receive = [{ address = "stock.out", queue = "FROM.STOCK" }]
"""
QUEUES = "DEFINE QLOCAL(TO.STOCK) DEFPSIST(YES)\nDEFINE QLOCAL(FROM.STOCK)\n"


def links(more: str = "", endpoint: str = "tcp:broker.example:5672") -> Links:
    pytest.importorskip("proton", reason="python-qpid-proton is not installed (mqbridge[amqp])")
    text = f'[[link]]\nname = "warehouse"\nendpoint = "{endpoint}"\n{ENDS}{more}'
    return Links(parse_configuration(text, FILE))


def test_every_setting_reaches_the_logic() -> None:
    more = """\
reply_queue = "REPLIES"
reply_address = "replies"
reply_expiry = 7
window = 60
id_cache = 90
batch = 5
credit = 6
retry_interval = 0.5
longest_retry = 8
duplicates = "none"
mcauser = "mover"
"""
    stand = Stand()
    made = links(more)
    made.make(stand.gateway)
    [found] = [link._context.settings for link in made._links]
    assert found == LinkSettings(
        name="warehouse",
        send=(SendEnd("TO.STOCK", "stock.in"),),
        receive=(ReceiveEnd("stock.out", "FROM.STOCK"),),
        reply_queue="REPLIES",
        reply_address="replies",
        reply_expiry=7.0,
        window=60,
        id_cache=90,
        batch=5,
        credit=6,
        retry_interval=0.5,
        longest_retry=8.0,
        duplicates=Duplicates.NONE,
        mcauser="mover",
    )


@pytest.mark.parametrize(
    ("more", "line", "text"),
    [
        ("window = 100\nid_cache = 100\n", 6, "window: 100 is not below id_cache, 100"),
        ('reply_queue = "TO.STOCK"\n', 4, "send: a queue is named twice"),
        ("batch = 2000\n", 6, "batch: 1 to window"),
    ],
)
def test_settings_that_contradict_each_other_are_refused_at_their_line(more: str, line: int, text: str) -> None:
    with pytest.raises(StartError) as caught:
        links(more)
    assert caught.value.status == WRONG_CONFIGURATION
    assert str(caught.value) == f"{FILE}, line {line}: link 'warehouse': {text}"


def test_a_password_does_not_go_over_a_network_unprotected(tmp_path: Path) -> None:
    file = tmp_path / "pw"
    file.write_text("secret word\nsecond line\n", encoding="utf-8")
    credentials = f'user = "mq"\npassword_file = "{file}"\n'
    with pytest.raises(StartError, match="the password would go over the network in plain text") as caught:
        links(credentials)
    assert "secret" not in str(caught.value)
    links(credentials + "plain_password = true\n")
    links(credentials + 'trusted = "ca.pem"\n')
    links(credentials, "tcp:127.0.0.1:5672")
    links(credentials, "unix:/run/broker.sock")


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\n"])
def test_a_password_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "pw"
    file.write_bytes(content)
    with pytest.raises(StartError, match="no password: "):
        links(f'user = "mq"\npassword_file = "{file}"\n', "tcp:127.0.0.1:5672")


def test_messages_in_doubt_of_a_link_that_is_gone_are_told() -> None:
    pytest.importorskip("proton", reason="python-qpid-proton is not installed (mqbridge[amqp])")
    stand = Stand(name="gone")
    stand.start()
    stand.put()
    assert len(stand.sent()) == 1
    stand.restart()
    stand.logged.clear()
    links().make(stand.gateway)
    stand.pump()
    assert ("AMQ5067", "gone", "TO.STOCK") in stand.logged


RING = """
[[link]]
name = "{}"
endpoint = "tcp:{}.example:5672"
send = [{{ queue = "{}", address = "{}" }}]
receive = [{{ address = "{}", queue = "{}" }}]
"""


@pytest.mark.parametrize(
    ("tables", "ring"),
    [
        ([("1", "a", "Q1", "x", "y", "Q2"), ("2", "a", "Q2", "y", "x", "Q1")], "Q1 → x → Q1"),
        ([("1", "a", "Q1", "x", "y", "Q2"), ("2", "a", "Q2", "z", "x", "Q2")], ""),
        ([("1", "a", "Q1", "x", "y", "Q2"), ("2", "b", "Q2", "y", "x", "Q1")], ""),
        (
            [("1", "a", "Q1", "x", "z", "Q4"), ("2", "a", "Q2", "y", "x", "Q2"), ("3", "a", "Q5", "w", "y", "Q1")],
            "Q1 → x → Q2 → y → Q1",
        ),
    ],
)
def test_messages_that_would_go_round_are_refused(tables: list[tuple[str, ...]], ring: str) -> None:
    pytest.importorskip("proton", reason="python-qpid-proton is not installed (mqbridge[amqp])")
    configuration = parse_configuration("".join(RING.format(*each) for each in tables), FILE)
    if not ring:
        Links(configuration)
        return
    with pytest.raises(StartError, match=f"messages go round: {ring}$") as refused:
        Links(configuration)
    assert f"{FILE}, line " in str(refused.value)


# A queue manager with a link to a small provider


@pytest.fixture
def peer() -> Iterator[AmqpPeer]:
    pytest.importorskip("proton", reason="python-qpid-proton is not installed (mqbridge[amqp])")
    made: AmqpPeer = importlib.import_module("support.linking.amqp_peer").AmqpPeer()
    yield made
    made.close()


@pytest.fixture
def linked(make_service: MakeService, peer: AmqpPeer, tmp_path: Path) -> Callable[[str], RunningService]:
    """Start a queue manager whose link goes to the provider."""

    def start(more: str = "") -> RunningService:
        file = tmp_path / "qm.toml"
        link = f'[[link]]\nname = "warehouse"\nendpoint = "tcp:127.0.0.1:{peer.port}"\nretry_interval = 0.1\n'
        file.write_text(link + ENDS + more, encoding="utf-8")
        return make_service(options=("--config", str(file)), mqsc=QUEUES)

    return start


def bodies(service: RunningService, queue: str, number: int) -> list[str]:
    return [service.get(queue, 20)["body"]["text"] for _ in range(number)]


def test_messages_go_both_ways(linked: Callable[..., RunningService], peer: AmqpPeer) -> None:
    service = linked()
    for number in range(20):
        service.put("TO.STOCK", f"to {number}", Persistence=1)
        peer.produce("stock.out", f"from {number}", f"ID:{number}")
    assert bodies(service, "FROM.STOCK", 20) == [f"from {number}" for number in range(20)]
    wait_for("messages at the provider", lambda: len(peer.arrived["stock.in"]) == 20)
    assert peer.arrived["stock.in"] == [f"to {number}" for number in range(20)]
    wait_for("outcomes", lambda: service.depth("TO.STOCK") == 0)
    assert "AMQ5060I" in service.log
    assert service.stop() == 0
    assert "AMQ5065I" in service.log


def test_cuts_in_the_middle_neither_lose_nor_double(linked: Callable[..., RunningService], peer: AmqpPeer) -> None:
    peer.cut_at_transfers, peer.cut_at_settlements = 7, 12
    service = linked("batch = 5\ncredit = 8\n")
    for number in range(30):
        peer.produce("stock.out", f"from {number}", f"ID:{number}")
        service.put("TO.STOCK", f"to {number}", Persistence=1)
    assert sorted(bodies(service, "FROM.STOCK", 30)) == sorted(f"from {number}" for number in range(30))
    wait_for("messages at the provider", lambda: len(peer.arrived["stock.in"]) >= 30)
    wait_for("outcomes", lambda: service.depth("TO.STOCK") == 0)
    wait_for("settlements", lambda: not peer.queues["stock.out"])
    assert sorted(peer.arrived["stock.in"]) == sorted(f"to {number}" for number in range(30))
    assert service.depth("FROM.STOCK") == 0
    assert peer.connections == 3
    assert peer.doubled >= 1
    assert "AMQ5061W" in service.log


def test_after_a_kill_what_was_in_doubt_goes_out_with_the_same_ids(
    linked: Callable[..., RunningService], peer: AmqpPeer
) -> None:
    peer.cut_at_transfers = 3
    service = linked("longest_retry = 30\n")
    for number in range(10):
        service.put("TO.STOCK", f"to {number}", Persistence=1)
    wait_for("the cut", lambda: peer.transfers >= 3)
    service.restart(kill=True)
    wait_for("messages at the provider", lambda: len(peer.arrived["stock.in"]) >= 10)
    wait_for("outcomes", lambda: service.depth("TO.STOCK") == 0)
    assert sorted(peer.arrived["stock.in"]) == sorted(f"to {number}" for number in range(10))
