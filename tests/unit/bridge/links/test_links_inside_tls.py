"""Links inside TLS: a provider whose certificate is trusted, and those that get nothing of us."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from support.linking.amqp_peer import AmqpPeer
from support.linking.linked_host import STOCK_IN, STOCK_OUT, LinkedHost
from support.tls.authority import Authority
from support.tls.terminator import TlsTerminator, demand_certificate, server_context

MakePeer = Callable[..., AmqpPeer]
MakeLinked = Callable[..., LinkedHost]


@pytest.fixture
def authority() -> Authority:
    return Authority()


def carries(linked: LinkedHost, peer: AmqpPeer) -> None:
    """A message arrives in each direction."""
    linked.put(b"to")
    peer.produce(STOCK_OUT, "from", "ID:1")
    assert linked.until_read(1) == ["from"]
    linked.until_sent(1)
    assert peer.arrived[STOCK_IN] == [b"to"]


def test_a_provider_whose_certificate_is_trusted(
    make_peer: MakePeer, make_linked: MakeLinked, authority: Authority, opened: ExitStack, tmp_path: Path
) -> None:
    peer = make_peer()
    context = server_context(tmp_path, authority.issue("CN=provider"))
    tls = opened.enter_context(TlsTerminator(context, ("127.0.0.1", peer.port)))
    trusted = authority.trust_file(tmp_path / "ca.pem")
    linked = make_linked(f"tcp:localhost:{tls.port}", access={"trusted": trusted})
    carries(linked, peer)
    assert tls.server_names == ["localhost"]


@pytest.mark.parametrize(
    ("hosts", "valid", "own", "reason"),
    [
        (("elsewhere.example",), (-1, 365), True, "localhost"),
        (("localhost",), (-30, -1), True, "expired"),
        (("localhost",), (10, 20), True, "not"),
        (("localhost",), (-1, 365), False, "certificate"),
    ],
    ids=["wrong name", "expired", "not yet valid", "untrusted authority"],
)
def test_a_provider_whose_certificate_is_not_trusted_gets_nothing(
    make_peer: MakePeer,
    make_linked: MakeLinked,
    authority: Authority,
    opened: ExitStack,
    tmp_path: Path,
    hosts: tuple[str, ...],
    valid: tuple[int, int],
    own: bool,
    reason: str,
) -> None:
    peer = make_peer(passwords={"mq": "a word"})
    issuer = authority if own else Authority("O=Tests,CN=Somebody else")
    context = server_context(tmp_path, issuer.issue("CN=provider", hosts=hosts, valid=valid))
    tls = opened.enter_context(TlsTerminator(context, ("127.0.0.1", peer.port)))
    trusted = authority.trust_file(tmp_path / "ca.pem")
    file = tmp_path / "pw"
    file.write_text("a word\n", encoding="utf-8")
    access = {"trusted": trusted, "user": "mq", "password_file": file}
    linked = make_linked(f"tcp:localhost:{tls.port}", access=access)
    linked.put(b"to")
    shown = linked.until_status("ertificate").detail
    assert reason in shown
    assert peer.connections == 0
    assert linked.host.depth("TO.STOCK") == 1
    assert linked.logged("AMQ5061")


def test_a_provider_that_speaks_no_tls_gets_nothing(
    make_peer: MakePeer, make_linked: MakeLinked, authority: Authority, tmp_path: Path
) -> None:
    peer = make_peer()
    trusted = authority.trust_file(tmp_path / "ca.pem")
    linked = make_linked(f"tcp:localhost:{peer.port}", access={"trusted": trusted})
    linked.host.thread.until(lambda: linked.logged("AMQ5061"), "the end of an attempt")
    assert "AMQ5060" not in str(linked.host.log)


def test_authorities_that_cannot_be_read_are_waited_for(
    make_peer: MakePeer, make_linked: MakeLinked, authority: Authority, opened: ExitStack, tmp_path: Path
) -> None:
    peer = make_peer()
    context = server_context(tmp_path, authority.issue("CN=provider"))
    tls = opened.enter_context(TlsTerminator(context, ("127.0.0.1", peer.port)))
    linked = make_linked(f"tcp:localhost:{tls.port}", access={"trusted": tmp_path / "ca.pem"})
    linked.until_status("ca.pem")
    assert not tls.agreed
    authority.trust_file(tmp_path / "ca.pem")
    carries(linked, peer)


@pytest.mark.parametrize("label", ["", "mars"])
def test_a_provider_that_demands_a_certificate(
    make_peer: MakePeer, make_linked: MakeLinked, authority: Authority, opened: ExitStack, tmp_path: Path, label: str
) -> None:
    peer = make_peer(passwords={"mq": "a word"})
    context = server_context(tmp_path, authority.issue("CN=provider"))
    demand_certificate(context, authority)
    tls = opened.enter_context(TlsTerminator(context, ("127.0.0.1", peer.port)))
    trusted = authority.trust_file(tmp_path / "ca.pem")
    keys = tmp_path / "ssl"
    authority.issue("O=Space,CN=MARS").save(keys / "mars.pem")
    file = tmp_path / "pw"
    file.write_text("a word\n", encoding="utf-8")
    access = {"trusted": trusted, "certificate": label, "user": "mq", "password_file": file}
    linked = make_linked(f"tcp:localhost:{tls.port}", access=access, keys=keys)
    if not label:
        linked.host.thread.until(lambda: linked.logged("AMQ5061"), "the end of an attempt")
        assert not peer.connections
        return
    carries(linked, peer)
    assert "MARS" in str(tls.peers[-1])
