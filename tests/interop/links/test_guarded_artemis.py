"""Links to Apache Artemis: users, certificates, addresses that it refuses, and signs of life in both directions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from support.linking.linked_host import SOURCE, LinkedHost
from support.processes.artemis import PASSWORD, USER
from support.processes.guarded_artemis import CLOSED, READER, READER_PASSWORD, GuardedArtemis
from support.tls.authority import Authority

pytestmark = [pytest.mark.interop("artemis"), pytest.mark.slow]
ADDRESS = "stock.q"
MakeLink = Callable[..., LinkedHost]


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="module")
def artemis(tmp_path_factory: pytest.TempPathFactory, authority: Authority) -> Iterator[GuardedArtemis]:
    guarded = GuardedArtemis(tmp_path_factory.mktemp("artemis") / "broker", authority)
    guarded.broker.start()
    yield guarded
    guarded.broker.close()


@pytest.fixture
def make_link(tmp_path: Path) -> Iterator[MakeLink]:
    """Makes a started link to a port of the broker. ``password``: of ``user``."""
    with ExitStack() as opened:

        def make(port: int, password: str = "", address: str = ADDRESS, **options: Any) -> LinkedHost:
            access = {"idle_timeout": 2.0} | options.pop("access", {})
            if password:
                file = tmp_path / "pw"
                file.write_text(f"{password}\n", encoding="utf-8")
                access["password_file"] = file
            made = LinkedHost(f"tcp:localhost:{port}", addresses=(address, address), access=access, **options)
            return opened.enter_context(closing(made)).start()

        yield make


def carries(linked: LinkedHost) -> None:
    """Messages go to the broker and come back."""
    bodies = [b"order %d" % number for number in range(3)]
    linked.put(*bodies)
    assert [bytes(each) for each in linked.until_read(3)] == bodies
    linked.until_sent(3)


def test_nobody_signs_on_as_anonymous(artemis: GuardedArtemis, make_link: MakeLink) -> None:
    carries(make_link(artemis.broker.port))


def test_a_user_inside_tls(artemis: GuardedArtemis, make_link: MakeLink, authority: Authority, tmp_path: Path) -> None:
    access = {"user": USER, "trusted": authority.trust_file(tmp_path / "ca.pem")}
    carries(make_link(artemis.tls_port, PASSWORD, access=access))


def test_a_user_with_the_wrong_password(artemis: GuardedArtemis, make_link: MakeLink, tmp_path: Path) -> None:
    linked = make_link(artemis.broker.port, "no such word", access={"user": USER})
    linked.until_status("sasl:auth")
    assert linked.host.thread.call(lambda: linked.link.status(0).state.value) in ("RETRYING", "STARTING")
    assert "no such word" not in str(linked.host.log)
    (tmp_path / "pw").write_text(f"{PASSWORD}\n", encoding="utf-8")
    carries(linked)


def test_a_certificate_signs_on_as_external(
    artemis: GuardedArtemis, make_link: MakeLink, authority: Authority, tmp_path: Path
) -> None:
    keys = tmp_path / "ssl"
    authority.issue("O=Space,CN=MARS").save(keys / "mars.pem")
    access = {"certificate": "mars", "trusted": authority.trust_file(tmp_path / "ca.pem")}
    carries(make_link(artemis.mutual_port, access=access, keys=keys))


@pytest.mark.parametrize("whose", ["nobody's", "somebody else's", "another authority's"])
def test_a_certificate_that_the_broker_does_not_want(
    artemis: GuardedArtemis, make_link: MakeLink, authority: Authority, tmp_path: Path, whose: str
) -> None:
    keys = tmp_path / "ssl"
    access: dict[str, Any] = {"trusted": authority.trust_file(tmp_path / "ca.pem")}
    if whose != "nobody's":
        issuer = authority if whose == "somebody else's" else Authority("O=Tests,CN=Unknown")
        issuer.issue("O=Space,CN=VENUS" if issuer is authority else "O=Space,CN=MARS").save(keys / "mars.pem")
        access["certificate"] = "mars"
    linked = make_link(artemis.mutual_port, access=access, keys=keys)
    linked.put(b"order")
    linked.host.thread.until(lambda: linked.logged("AMQ5061"), "the end of an attempt")
    assert not linked.logged("AMQ5060")
    assert linked.host.depth(SOURCE) == 1


def test_a_user_who_may_not_use_the_addresses(artemis: GuardedArtemis, make_link: MakeLink) -> None:
    linked = make_link(artemis.broker.port, READER_PASSWORD, access={"user": READER})
    linked.put(b"order")
    linked.until_status("amqp:unauthorized-access")
    linked.host.thread.until(lambda: len(linked.logged("AMQ5066")) == 2, "both refusals")
    assert len(linked.logged("AMQ5060")) == 1  # the connection stays
    assert linked.host.depth(SOURCE) == 1


def test_an_address_that_is_not_there(artemis: GuardedArtemis, make_link: MakeLink) -> None:
    linked = make_link(artemis.broker.port, address=CLOSED)
    linked.put(b"order")
    linked.until_status("amqp:not-found")
    assert linked.host.depth(SOURCE) == 1


def test_signs_of_life_go_both_ways_and_a_broker_without_one_is_left(
    artemis: GuardedArtemis, make_link: MakeLink
) -> None:
    linked = make_link(artemis.broker.port)
    linked.until_running()
    time.sleep(2.5)  # longer than either end waits
    assert len(linked.logged("AMQ5060")) == 1
    assert not linked.logged("AMQ5061")
    artemis.freeze()
    try:
        linked.put(b"order 0")
        linked.until_status("timeout")
    finally:
        artemis.thaw()
    assert [bytes(each) for each in linked.until_read(1)] == [b"order 0"]
    linked.until_sent(1)
    carries(linked)
