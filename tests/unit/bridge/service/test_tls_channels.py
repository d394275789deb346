"""Channels inside TLS between two queue managers, each a process of its own (tls.md)."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.protocol.constants import SegmentType
from support.clients.playbook import initial_data
from support.clients.socket_program import SocketProgram
from support.processes.running_service import RunningService, wait_for
from support.tls.authority import Authority

pytestmark = [pytest.mark.spec("tls.md T-01"), pytest.mark.spec("tls.md T-06")]
CIPHER = "SSLCIPH(ANY_TLS12_OR_HIGHER)"
PLANETS = f"""
DEFINE QLOCAL(HERE)
DEFINE QLOCAL({{other}}) USAGE(XMITQ)
DEFINE QREMOTE(THERE) RNAME(HERE) RQMNAME({{other}})
DEFINE CHANNEL({{other}}.{{own}}) CHLTYPE(RCVR) {CIPHER}
DEFINE CHANNEL(BY.REQUEST) CHLTYPE({{kind}}) {CIPHER} {{more}}
ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) {CIPHER} SSLCAUTH(OPTIONAL)
"""


class Planets:
    """EARTH and SATURN, with certificates of one authority."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority()
        self.earth, self.saturn = (RunningService(folder / name, name) for name in ("EARTH", "SATURN"))
        self.authority.trust_file(folder / "trusted.pem")
        self.trusted = folder / "trusted.pem"
        for service in (self.earth, self.saturn):
            service.recordings = None
            self.certify(service, self.authority)
            self.authority.trust_file(service.data / "ssl" / "trusted" / "authority.pem")
            self.authority.issue("O=Space,CN=Special", curve=True).save(service.data / "ssl" / "special.pem")
            service.start()
        self.define(self.saturn, "EARTH", "SVR", "XMITQ(EARTH)")
        self.define(self.earth, "SATURN", "RQSTR", f"CONNAME('127.0.0.1({self.saturn.port})')")
        self.call("EARTH.SATURN", self.earth, self.saturn)

    @staticmethod
    def certify(service: RunningService, authority: Authority, unit: str = "Planets") -> None:
        """A certificate for a queue manager, in its key repository."""
        issued = authority.issue(f"O=Space,OU={unit},CN={service.name}", curve=True)
        issued.save(service.data / "ssl" / f"ibmwebspheremq{service.name.lower()}.pem")

    @staticmethod
    def define(service: RunningService, other: str, kind: str, more: str) -> None:
        text = PLANETS.format(own=service.name, other=other, kind=kind, more=more)
        service.mqsc(*filter(None, text.splitlines()))

    @staticmethod
    def call(channel: str, caller: RunningService, called: RunningService, more: str = CIPHER) -> None:
        """A sender channel, with a transmission queue of its own unless it is the one for messages."""
        queue = called.name if channel == f"{caller.name}.{called.name}" else channel
        if queue == channel:
            caller.mqsc(f"DEFINE QLOCAL({queue}) USAGE(XMITQ)")
        if "CONNAME" not in more:
            more += f" CONNAME('127.0.0.1({called.port})')"
        caller.mqsc(f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) XMITQ({queue}) {more}")

    def close(self) -> None:
        self.earth.close()
        self.saturn.close()


@pytest.fixture(scope="module")
def planets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planets]:
    made = Planets(tmp_path_factory.mktemp("planets"))
    yield made
    made.close()


def status(service: RunningService, channel: str, *keywords: str) -> list[str]:
    """Values of DISPLAY CHSTATUS; none while it has no row."""
    reply = service.client.mqsc(f"DISPLAY CHSTATUS({channel}) {' '.join(keywords)}")
    text = " ".join(line for entry in reply["commandResponse"] for line in entry["text"])
    found = [text.partition(f" {keyword}(") for keyword in keywords]
    return [value.partition(")")[0].strip() for _, at, value in found if at]


def runs(service: RunningService, channel: str) -> None:
    """Start a channel, whatever the tests before have left it in."""
    if status(service, channel, "STATUS") != ["RUNNING"]:
        service.client.mqsc(f"START CHANNEL({channel})")
    wait_for(f"start of {channel}", lambda: status(service, channel, "STATUS") == ["RUNNING"])


@pytest.mark.spec("tls.md T-09")
def test_messages_arrive_and_both_ends_show_their_partner(planets: Planets) -> None:
    earth, saturn = planets.earth, planets.saturn
    runs(earth, "EARTH.SATURN")
    earth.put("THERE", "inside")
    wait_for("message", lambda: saturn.get("HERE"))
    for service, peer in ((earth, "SATURN"), (saturn, "EARTH")):
        shown = status(service, "EARTH.SATURN", "SSLPEER", "SSLCERTI", "SSLCIPH", "SECPROT")
        assert f",CN={peer},OU=" in shown[0]
        assert shown[1:] == ["CN=Authority,O=Tests", "TLS_AES_256_GCM_SHA384", "TLSV13"]


def test_a_requester_calls_a_server_inside_tls(planets: Planets) -> None:
    earth, saturn = planets.earth, planets.saturn
    runs(earth, "BY.REQUEST")
    saturn.put("THERE", "on request")
    wait_for("message", lambda: earth.get("HERE"))
    assert status(saturn, "BY.REQUEST", "STATUS", "SECPROT") == ["RUNNING", "TLSV13"]


@pytest.mark.spec("tls.md T-11")
def test_a_partner_of_another_name_stops_the_caller(planets: Planets) -> None:
    earth, saturn = planets.earth, planets.saturn
    saturn.mqsc(f"DEFINE CHANNEL(OTHER.NAME) CHLTYPE(RCVR) {CIPHER}")
    planets.call("OTHER.NAME", earth, saturn, f"{CIPHER} SSLPEER('CN=MARS')")
    earth.mqsc("START CHANNEL(OTHER.NAME)")
    wait_for("end", lambda: status(earth, "OTHER.NAME", "STATUS") == ["STOPPED"])
    (line,) = [line for line in earth.log.splitlines() if "AMQ9636E: channel OTHER.NAME refuses the partner" in line]
    assert "CN=SATURN,OU=Planets,O=Space, does not match SSLPEER(CN=MARS)" in line


@pytest.mark.spec("tls.md T-04")
def test_a_channel_can_have_a_certificate_of_its_own(planets: Planets) -> None:
    earth, saturn = planets.earth, planets.saturn
    saturn.mqsc(f"DEFINE CHANNEL(SPECIAL) CHLTYPE(RCVR) {CIPHER} CERTLABL(special)")
    planets.call("SPECIAL", earth, saturn)
    earth.mqsc("START CHANNEL(SPECIAL)")
    wait_for("start", lambda: status(earth, "SPECIAL", "STATUS") == ["RUNNING"])
    (name,) = status(earth, "SPECIAL", "SSLPEER")
    assert name.endswith(",CN=Special,O=Space")


def test_the_next_address_is_called_if_the_first_has_another_name(planets: Planets) -> None:
    earth, saturn = planets.earth, planets.saturn
    both = f"CONNAME('127.0.0.1({earth.port}),127.0.0.1({saturn.port})') SSLPEER('CN=SATURN')"
    saturn.mqsc(f"DEFINE CHANNEL(SECOND) CHLTYPE(RCVR) {CIPHER}")
    planets.call("SECOND", earth, saturn, f"{CIPHER} {both}")
    earth.mqsc("START CHANNEL(SECOND)")
    wait_for("start", lambda: status(earth, "SECOND", "STATUS") == ["RUNNING"])
    lines = [line for line in earth.log.splitlines() if "AMQ9636E: channel SECOND " in line]
    assert "CN=EARTH" in lines[0]


def test_one_end_inside_tls_and_one_plain_are_told_why(planets: Planets) -> None:
    earth, saturn = planets.earth, planets.saturn
    saturn.mqsc("DEFINE CHANNEL(PLAIN) CHLTYPE(RCVR)", f"DEFINE CHANNEL(CIPHER) CHLTYPE(RCVR) {CIPHER}")
    planets.call("PLAIN", earth, saturn)
    planets.call("CIPHER", earth, saturn, "")
    for channel, amq in (("PLAIN", "AMQ9635"), ("CIPHER", "AMQ9639")):
        earth.mqsc(f"START CHANNEL({channel})")
        wait_for("end", lambda channel=channel: status(earth, channel, "STATUS") == ["STOPPED"])
        assert f"{amq}E: channel {channel} " in saturn.log
    assert "AMQ9641E: the two ends do not agree on TLS" in earth.log


@pytest.mark.spec("tls.md T-10")
def test_new_certificates_take_effect_by_refresh_security(planets: Planets) -> None:
    earth, saturn = planets.earth, planets.saturn
    runs(earth, "EARTH.SATURN")
    planets.certify(earth, planets.authority, "Inner Planets")
    earth.mqsc("REFRESH SECURITY TYPE(SSL)")
    wait_for("new name", lambda: "OU=Inner Planets" in "".join(status(saturn, "EARTH.SATURN", "SSLPEER")))
    earth.put("THERE", "afterwards")
    wait_for("message", lambda: saturn.get("HERE"))


@pytest.mark.spec("tls.md T-10")
def test_a_requester_calls_again_after_refresh_security(planets: Planets) -> None:
    earth, saturn = planets.earth, planets.saturn
    runs(earth, "BY.REQUEST")
    planets.certify(earth, planets.authority, "Requesters")
    earth.mqsc("REFRESH SECURITY TYPE(SSL)")
    wait_for("new name", lambda: "OU=Requesters" in "".join(status(saturn, "BY.REQUEST", "SSLPEER")))
    saturn.put("THERE", "again")
    wait_for("message", lambda: earth.get("HERE"))


def test_a_repository_that_cannot_be_read_changes_nothing(planets: Planets) -> None:
    earth = planets.earth
    file = earth.data / "ssl" / "trusted" / "authority.pem"
    good = file.read_bytes()
    file.write_bytes(b"nothing")
    reply = earth.client.mqsc("REFRESH SECURITY TYPE(SSL)")
    assert "AMQ9657" in str(reply["commandResponse"])
    file.write_bytes(good)
    earth.mqsc("REFRESH SECURITY TYPE(SSL)")


def test_authorities_that_are_not_trusted_stop_the_channel_at_both_ends(planets: Planets) -> None:
    earth, saturn = planets.earth, planets.saturn
    saturn.mqsc(f"DEFINE CHANNEL(STRANGER) CHLTYPE(RCVR) {CIPHER}")
    planets.call("STRANGER", earth, saturn)
    runs(earth, "BY.REQUEST")
    planets.certify(earth, Authority("O=Elsewhere,CN=Authority"))
    earth.mqsc("REFRESH SECURITY TYPE(SSL)", "START CHANNEL(STRANGER)")
    for channel in ("STRANGER", "BY.REQUEST"):
        wait_for("end", lambda channel=channel: status(earth, channel, "STATUS") == ["STOPPED"])
    words = "AMQ9665E: TLS has ended: the partner ended TLS with alert unknown ca (48): it does not trust the authority"
    assert f"{words} that issued our certificate: STRANGER;" in earth.log
    lines = [line for line in saturn.log.splitlines() if "AMQ9633E" in line and "; STRANGER; " in line]
    assert "CN=Authority,O=Elsewhere: its issuer is not trusted" in lines[0]
    planets.certify(earth, planets.authority)
    earth.mqsc("REFRESH SECURITY TYPE(SSL)", "START CHANNEL(STRANGER)", "START CHANNEL(BY.REQUEST)")
    for channel in ("STRANGER", "BY.REQUEST"):
        wait_for("start", lambda channel=channel: status(earth, channel, "STATUS") == ["RUNNING"])


@pytest.mark.spec("client-observed.md O-022")
def test_clients_inside_tls_send_passwords_in_clear_at_level_17(planets: Planets) -> None:
    context = ssl.create_default_context(cafile=str(planets.trusted))
    context.check_hostname = False
    with SocketProgram(planets.earth.port) as client:
        name = "dev2e-app2e-svrconn.chl.mq.ibm.com"
        client.socket = context.wrap_socket(client.socket, server_hostname=name)
        client.send(initial_data(client.writer, q_mgr_name="EARTH"))
        answer = client.expects(SegmentType.INITIAL_DATA)
        record = answer.id.record
        assert (record.fap_level, record.pal[:2]) == (17, b"\0\0")
        (peer,) = status(planets.earth, "DEV.APP.SVRCONN", "SECPROT")
        assert peer == "TLSV13"
