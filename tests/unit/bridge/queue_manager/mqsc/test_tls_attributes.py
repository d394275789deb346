"""SSLCIPH and SSLPEER are checked when they are entered (tls.md T-11, T-12)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.objects import MQRCCF
from mqbridge.bridge.security.tls.cipher_specs import ALIASES, DEPRECATED, ENABLED
from support.queue_manager.mqsc_bench import Bench

pytestmark = [pytest.mark.spec("tls.md T-11"), pytest.mark.spec("tls.md T-12")]

TYPES = {
    "SDR": "CONNAME('mars') XMITQ(MARS)", "SVR": "XMITQ(MARS)", "RCVR": "", "RQSTR": "CONNAME('mars')", "SVRCONN": "",
    "CLNTCONN": "CONNAME('mars')",
}  # fmt: skip


SUPPLIED = {
    "SDR": "SENDER", "SVR": "SERVER", "RCVR": "RECEIVER", "RQSTR": "REQUESTER", "SVRCONN": "SVRCONN",
    "CLNTCONN": "CLNTCONN",
}  # fmt: skip


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("kind", TYPES)
def test_each_type_of_channel(bench: Bench, kind: str) -> None:
    (row,) = bench.rows(f"DISPLAY CHANNEL(SYSTEM.DEF.{SUPPLIED[kind]}) SSLCIPH SSLPEER")
    assert (row["SSLCIPH"], row["SSLPEER"]) == ("", "")
    define = f"DEFINE CHANNEL(C) CHLTYPE({kind}) {TYPES[kind]} REPLACE"
    bench.bad(f"{define} SSLCIPH('{'X' * 33}')", "AMQ8405", MQRCCF.ATTR_VALUE_ERROR)
    bench.bad(f"{define} SSLCIPH(RC4_MD5_US)", "AMQ8242", MQRCCF.SSL_CIPHER_SPEC_ERROR)
    bench.bad(f"{define} SSLCIPH(NONSENSE)", "AMQ8242", MQRCCF.SSL_CIPHER_SPEC_ERROR)
    bench.bad(f"{define} SSLPEER('CN')", "AMQ8243", MQRCCF.SSL_PEER_NAME_ERROR)
    bench.good(f"{define} SSLPEER('CN=MARS,O=Space')")  # needs no SSLCIPH
    alter = f"ALTER CHANNEL(C) CHLTYPE({kind})"
    bench.good(f"{alter} SSLCIPH(ANY_TLS12_OR_HIGHER)")
    bench.bad(f"{alter} SSLCIPH(NULL_MD5)", "AMQ8242")
    bench.bad(f"{alter} SSLPEER('CN=MARS,CN=VENUS')", "AMQ8243")
    (row,) = bench.rows("DISPLAY CHANNEL(C) SSLCIPH SSLPEER")
    assert (row["SSLCIPH"], row["SSLPEER"]) == ("ANY_TLS12_OR_HIGHER", "CN=MARS,O=Space")
    bench.good(f"{alter} SSLCIPH(' ') SSLPEER(' ')")
    (row,) = bench.rows("DISPLAY CHANNEL(C) SSLCIPH SSLPEER")
    assert (row["SSLCIPH"], row["SSLPEER"]) == ("", "")


@pytest.mark.parametrize("cipher", [*ENABLED, *ALIASES])
def test_every_cipher_spec_is_taken(bench: Bench, cipher: str) -> None:
    bench.good(f"DEFINE CHANNEL(C) CHLTYPE(RCVR) SSLCIPH('{cipher}')")


@pytest.mark.parametrize("cipher", sorted(DEPRECATED))
def test_no_deprecated_cipher_spec_is_taken(bench: Bench, cipher: str) -> None:
    reply = bench.bad(f"DEFINE CHANNEL(C) CHLTYPE(RCVR) SSLCIPH('{cipher}')", "AMQ8242")
    assert cipher in reply.responses[0].text


def test_the_longest_peer_name(bench: Bench) -> None:
    bench.good(f"DEFINE CHANNEL(C) CHLTYPE(RCVR) SSLPEER('CN={'x' * 1021}')")
    bench.bad(f"DEFINE CHANNEL(D) CHLTYPE(RCVR) SSLPEER('CN={'x' * 1022}')", "AMQ8405", MQRCCF.ATTR_VALUE_ERROR)


@pytest.mark.parametrize("attributes", ["SSLPEER('CN=')", "SSLPEER('CN=x') SSLCERTI('nobody')", "SSLPEER('cn=x')"])
def test_records(bench: Bench, attributes: str) -> None:
    command = f"SET CHLAUTH('C') TYPE(SSLPEERMAP) {attributes} USERSRC(CHANNEL)"
    bench.bad(command, "AMQ8243", MQRCCF.SSL_PEER_NAME_ERROR)
