"""IBM's Java and JMS clients inside TLS: who comes in, and what those are told who do not."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from mqbridge.bridge.security.tls.cipher_specs import CIPHER_SPECS
from mqbridge.bridge.security.tls.server_names import channel_named
from mqbridge.protocol.constants import MQRQ, StatusCode
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.tls_hello import HelloReader
from support.processes import java_programs
from support.tls.client_scene import CIPHERS, PASSWORD, ClientScene
from support.tls.java_client import VERSIONS, JavaTlsClient, java_client
from support.tls.refusals import HEADER, TLS_1_3, ClientRow, Told, shown, table

SUITE_1_2 = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"
PAGE = Path(__file__).parents[3] / "docs" / "security.md"
NOT_IN_JAVA = {"TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256"}
"""CipherSpecs that OpenJDK lacks."""
IN_JAVA = {
    "ANY": "*ANY", "ANY_TLS12": "*TLS12", "ANY_TLS12_OR_HIGHER": "*TLS12ORHIGHER", "ANY_TLS13": "*TLS13",
    "ANY_TLS13_OR_HIGHER": "*TLS13ORHIGHER",
}  # fmt: skip
"""Names that IBM's classes for Java have for aliases."""
COMBINATIONS = [(generation, api) for generation in VERSIONS for api in ("java", "jms")]
QUICK = ("javax", "java")
"""What every run takes; the others are for ``--long``."""


HANDSHAKE, CIPHER, CLIENT, PEER = (
    MQRQ.SSL_HANDSHAKE_ERROR,
    MQRQ.SSL_CIPHER_SPEC_ERROR,
    MQRQ.SSL_CLIENT_AUTH_ERROR,
    MQRQ.SSL_PEER_NAME_ERROR,
)
IN_1_2, IN_1_3 = {"cipher": SUITE_1_2}, {"cipher": TLS_1_3}
BAD = {
    "the client's authority is not trusted": "stranger",
    "the client's certificate is expired": "expired",
    "the client's certificate is revoked": "revoked",
}
WRONG = IN_1_3 | {"user": "alice", "password": "wrong"}


def row(
    case: str, channel: str, reason: int, amq: str, event: MQRQ | None, wish: dict[str, str], status: int | None = None
) -> ClientRow:
    """A row; what it wants to come in with is last but for the status that it is told."""
    return ClientRow(case, channel, Told(reason, None if status is None else StatusCode(status), amq, event), wish)


ROWS = (
    row(
        "the client does not trust our authority",
        "TLS.ANY",
        2397,
        "AMQ9665",
        HANDSHAKE,
        IN_1_3 | {"trust": "mistrusted"},
    ),
    row("our certificate is expired", "TLS.EXPIRED", 2397, "AMQ9665", HANDSHAKE, IN_1_3),
    row(
        "our certificate has another name than the client's SSLPEER",
        "TLS.ANY",
        2398,
        "",
        None,
        IN_1_3 | {"peer": "CN=MARS"},
    ),
    *(row(case, "TLS.MUTUAL", 2009, "AMQ9633", HANDSHAKE, IN_1_3 | {"key": key}) for case, key in BAD.items()),
    *(
        row(f"{case}, in TLS 1.2", "TLS.MUTUAL", 2397, "AMQ9633", HANDSHAKE, IN_1_2 | {"key": key})
        for case, key in BAD.items()
    ),
    row("the client has no certificate, SSLCAUTH(REQUIRED)", "TLS.MUTUAL", 2059, "AMQ9637", CLIENT, IN_1_3, 0x1A),
    row("the client has no certificate, SSLPEER is set", "TLS.NAMED", 2059, "AMQ9637", CLIENT, IN_1_3, 0x1A),
    row(
        "the client's certificate has another name than SSLPEER",
        "TLS.NAMED",
        2397,
        "AMQ9636",
        PEER,
        IN_1_3 | {"key": "other"},
        0x19,
    ),
    row("a plain client, a TLS channel", "TLS.ANY", 2397, "AMQ9639", CIPHER, {}, 0x18),
    row("a TLS client, a plain channel", "PLAIN", 2397, "AMQ9635", CIPHER, IN_1_3, 0x18),
    row("TLS 1.3, and SSLCIPH of TLS 1.2", "TLS.12", 2397, "AMQ9616", HANDSHAKE, IN_1_3),
    row("TLS 1.2, and SSLCIPH of TLS 1.3", "TLS.13", 2397, "AMQ9616", HANDSHAKE, IN_1_2),
    row(
        "another CipherSpec of TLS 1.2",
        "TLS.12",
        2397,
        "AMQ9616",
        HANDSHAKE,
        {"cipher": "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"},
    ),
    row(
        "an SSLPEERMAP record blocks the client's name",
        "TLS.BLOCKED",
        2035,
        "AMQ9777",
        MQRQ.CHANNEL_BLOCKED_NOACCESS,
        IN_1_3 | {"key": "app"},
    ),
    row("a wrong password, protected", "TLS.PASSWORD", 2035, "AMQ5534", None, WRONG),
    row("a wrong password, beside the user", "TLS.PASSWORD", 2035, "AMQ5534", None, WRONG | {"clear": "yes"}),
    row("no password", "TLS.PASSWORD", 2035, "AMQ5540", None, IN_1_3),
)


UNNAMED = (
    row(
        "the hello does not name the channel, CERTLABL is set", "TLS.EXPIRED", 2397, "AMQ9673", HANDSHAKE, IN_1_3, 0x18
    ),
    row("the hello does not name the channel, another CipherSpec", "TLS.12", 2397, "AMQ9631", CIPHER, IN_1_3, 0x18),
)
"""Rows of clients that are told to name the host in their hello: Java names none where it is an address."""
NAMES_HOST = "-Dcom.ibm.mq.cfg.SSL.outboundSNI=HOSTNAME"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientScene]:
    java_programs.build()
    scene = ClientScene(tmp_path_factory.mktemp("tls"))
    yield scene
    scene.close()


@pytest.fixture(scope="module", params=COMBINATIONS, ids=lambda given: "-".join(given))
def java(
    scene: ClientScene, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[JavaTlsClient]:
    generation, api = request.param
    if (generation, api) != QUICK and not request.config.getoption("--long"):
        pytest.skip("for --long")
    with java_client(generation, api, tmp_path_factory.mktemp("java"), scene.options) as client:
        yield client


@pytest.mark.parametrize("name", [name for name in CIPHERS if name not in NOT_IN_JAVA])
def test_each_cipher_spec_and_alias_carries_messages(scene: ClientScene, java: JavaTlsClient, name: str) -> None:
    suites = {each.name: each.iana for each in CIPHER_SPECS}
    outcome = scene.connect(java, CIPHERS[name], cipher=IN_JAVA.get(name) or suites[name])
    assert outcome.reason == 0, outcome.text


@pytest.fixture(scope="module")
def seen(scene: ClientScene, java: JavaTlsClient) -> dict[str, Told]:
    """What each row of the table has brought."""
    told = {row.case: scene.refused(java, row) for row in ROWS}
    return scene.with_statuses(told)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_who_does_not_come_in_is_told_why(seen: dict[str, Told], row: ClientRow) -> None:
    assert seen[row.case] == row.told


WELCOME = {
    "without a certificate": ("TLS.ANY", {}),
    "with a certificate": ("TLS.MUTUAL", {"key": "app"}),
    "with the name that SSLPEER wants": ("TLS.NAMED", {"key": "app"}),
    "where the queue manager has the name that the client wants": ("TLS.ANY", {"peer": "CN=EARTH,O=Space"}),
    "with a protected password": ("TLS.PASSWORD", {"user": "alice", "password": PASSWORD}),
    "with a password beside the user": ("TLS.PASSWORD", {"user": "alice", "password": PASSWORD, "clear": "yes"}),
}


@pytest.mark.parametrize("suite", [TLS_1_3, SUITE_1_2])
@pytest.mark.parametrize(("channel", "wish"), WELCOME.values(), ids=WELCOME)
def test_who_comes_in(scene: ClientScene, java: JavaTlsClient, channel: str, wish: dict[str, str], suite: str) -> None:
    outcome = scene.connect(java, channel, cipher=suite, **wish)
    assert outcome.reason == 0, outcome.text


def test_commands_by_pcf(scene: ClientScene, java: JavaTlsClient) -> None:
    if java.api != "java":
        pytest.skip("com.ibm.mq.headers.pcf has no JMS")
    wish = {"user": "alice", "password": PASSWORD, "pcf": "MADE.INSIDE.TLS"}
    outcome = scene.connect(java, "TLS.PASSWORD", cipher=TLS_1_3, **wish)
    assert outcome.reason == 0, outcome.text


def hello_of(java: JavaTlsClient, **wish: str) -> HelloReader:
    """What a client says first, to somebody who does not answer."""
    reader = HelloReader()
    with socket.create_server(("127.0.0.1", 0)) as door, ThreadPoolExecutor(1) as threads:
        call = threads.submit(java.connect, port=door.getsockname()[1], channel="DEV.app_1", manager="EARTH", **wish)
        while not call.done():
            door.settimeout(1)
            with suppress(TimeoutError):
                caller = door.accept()[0]
                with caller:
                    offset = 0
                    while not reader.is_done(Direction.INITIATOR) and (data := caller.recv(1 << 16)):
                        reader.take(Direction.INITIATOR, offset, data)
                        offset += len(data)
    return reader


def test_clients_name_the_channel_in_their_hello(java: JavaTlsClient) -> None:
    hello = hello_of(java, cipher="*TLS12ORHIGHER").hello
    assert channel_named(hello.server_name) == "DEV.app_1"
    assert hello.version == "TLS 1.3"


def test_clients_that_do_not_name_their_channel(scene: ClientScene, tmp_path: Path) -> None:
    with java_client(*QUICK, tmp_path, [*scene.options, NAMES_HOST]) as java:
        assert hello_of(java, cipher="*TLS12ORHIGHER").hello.server_name == ""
        told = scene.with_statuses({row.case: scene.refused(java, row) for row in UNNAMED})
        assert told == {row.case: row.told for row in UNNAMED}
        assert scene.connect(java, "TLS.ANY", **IN_1_3).reason == 0


# The page


def page_rows() -> list[str]:
    """The table as docs/security.md has it."""
    return table(HEADER, [[row.case, *shown(row.told)] for row in (*ROWS, *UNNAMED)])


def test_the_page_says_what_is_tested() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Refusals inside TLS")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert rows[: len(page_rows())] == page_rows()
