"""Channels inside TLS: who may run, what is shown, what is told of refusals (tls.md). The handshakes are played."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.security.tls import PeerCertificate, TlsFault
from mqbridge.protocol.constants import MQCA, MQCACH, MQCMD, MQIACF, MQIACH, MQRC, MQRQ, SegmentType, StatusCode
from mqbridge.protocol.structures.pcf import parse_pcf
from support.channels.partner import calls, to_venus
from support.channels.playbook import initial_data, status
from support.gateway.stage import Stage, Station, certificate, earth_and_saturn
from support.gateway.tls_callers import callers_inside, inside
from support.gateway.tls_pair import ANY, CHANNEL, FIXED, pair
from support.queue_manager.pcf_operator import PcfOperator, content

EVENTS = "SYSTEM.ADMIN.CHANNEL.EVENT"
pytestmark = pytest.mark.spec("tls.md T-06")


def events(station: Station) -> list[dict[int, Any]]:
    """Contents of the events of TLS."""
    found = []
    while (message := station.get(EVENTS)) is not None:
        event = parse_pcf(message.data, 0, message.order)
        assert event.record.reason == MQRC.CHANNEL_SSL_ERROR
        found.append(content(event))
    return found


# Channels that run


@pytest.mark.spec("tls.md T-09")
@pytest.mark.parametrize(
    ("sender", "receiver", "protocol", "cipher"),
    [
        (ANY, ANY, "TLSV13", "TLS_AES_256_GCM_SHA384"),
        (FIXED, ANY, "TLSV12", "ECDHE_RSA_AES_128_GCM_SHA256"),
        (ANY, FIXED, "TLSV12", "ECDHE_RSA_AES_128_GCM_SHA256"),
        (ANY, "SSLCIPH(ANY_TLS12)", "TLSV12", "ECDHE_ECDSA_AES_256_GCM_SHA384"),
    ],
)
def test_both_ends_show_what_was_agreed(sender: str, receiver: str, protocol: str, cipher: str) -> None:
    stage, earth, saturn = pair(sender, receiver)
    earth.put("FAR", b"inside")
    stage.wait()
    assert saturn.contents("TARGET") == [b"inside"]
    for station, peer in ((earth, "SATURN"), (saturn, "EARTH")):
        row = station.row(CHANNEL)
        assert (row["STATUS"], row["SECPROT"], row["SSLCIPH"]) == ("RUNNING", protocol, cipher)
        assert row["SSLPEER"] == f"SERIALNUMBER=2A,CN={peer},O=Space"
        assert (row["SSLCERTI"], row["SSLRKEYS"]) == ("CN=authority,O=Space", "0")


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("SECPROT EQ TLSV13", True),
        ("SECPROT EQ TLSV12", False),
        ("SECPROT NE NONE", True),
        ("SSLPEER LK 'SERIAL*'", True),
        ("SSLCIPH EQ TLS_AES_256_GCM_SHA384", True),
    ],
)
def test_what_was_agreed_can_be_asked_for(condition: str, found: bool) -> None:
    _, earth, _ = pair()
    assert bool(earth.rows(f"DISPLAY CHSTATUS(*) WHERE({condition})")) is found


def test_plain_channels_show_that_they_are() -> None:
    _, earth, _ = earth_and_saturn()
    row = earth.row(CHANNEL)
    assert (row["SECPROT"], row["SSLCIPH"], row["SSLPEER"], row["SSLCERTI"]) == ("NONE", "", "", "")


@pytest.mark.spec("mq-wire.md 5.16")
def test_pcf_shows_the_same() -> None:
    _, _, saturn = pair()
    row = saturn.row(CHANNEL)
    (found,) = PcfOperator(saturn).good(MQCMD.INQUIRE_CHANNEL_STATUS, (MQCACH.CHANNEL_NAME, CHANNEL))
    texts = {
        "SSLPEER": MQCACH.SSL_SHORT_PEER_NAME,
        "SSLCERTI": MQCACH.SSL_CERT_ISSUER_NAME,
        "SSLCIPH": MQCACH.SSL_CIPHER_SPEC,
        "SSLKEYDA": MQCACH.SSL_KEY_RESET_DATE,
        "SSLKEYTI": MQCACH.SSL_KEY_RESET_TIME,
    }
    assert {keyword: found[number] for keyword, number in texts.items()} == {keyword: row[keyword] for keyword in texts}
    assert (found[MQIACH.SECURITY_PROTOCOL], found[MQIACH.SSL_KEY_RESETS]) == (8, 0)


def test_names_are_cut_as_their_fields_are() -> None:
    _, earth, _ = pair(saturn=certificate("CN=" + "x" * 400, "CN=" + "y" * 400))
    assert len(earth.row(CHANNEL)["SSLPEER"]) == len(earth.row(CHANNEL)["SSLCERTI"]) == 256


# Channels that the answering end refuses

OPTIONAL = f"{ANY} SSLCAUTH(OPTIONAL)"
REFUSED: list[Any] = [
    (FIXED, "", "AMQ9635", "AMQ9641", MQRQ.SSL_CIPHER_SPEC_ERROR),
    ("", ANY, "AMQ9639", "AMQ9641", MQRQ.SSL_CIPHER_SPEC_ERROR),
    (ANY, f"{ANY} SSLPEER('CN=MARS')", "AMQ9636", "AMQ9643", MQRQ.SSL_PEER_NAME_ERROR),
]


@pytest.mark.spec("tls.md T-07")
@pytest.mark.spec("tls.md T-08")
@pytest.mark.parametrize(("sender", "receiver", "ours", "theirs", "qualifier"), REFUSED)
def test_what_the_receiver_refuses_stops_the_sender(
    sender: str, receiver: str, ours: str, theirs: str, qualifier: int
) -> None:
    _, earth, saturn = pair(sender, receiver)
    assert earth.status(CHANNEL) == "STOPPED"
    assert saturn.status(CHANNEL) == "INACTIVE"
    assert len(saturn.logged(ours)) == 1
    assert len(earth.logged(theirs)) == 1
    (about,) = events(saturn)
    assert about[MQIACF.REASON_QUALIFIER] == qualifier
    assert (about[MQCA.Q_MGR_NAME], about[MQCACH.CHANNEL_NAME]) == ("SATURN", CHANNEL)
    assert about[MQCACH.CONNECTION_NAME].startswith("10.0.0.1(")
    if qualifier == MQRQ.SSL_PEER_NAME_ERROR:
        assert about[MQCACH.SSL_PEER_NAME] == "SERIALNUMBER=2A,CN=EARTH,O=Space"
    assert events(earth) == []


@pytest.mark.parametrize("receiver", [ANY, f"{OPTIONAL} SSLPEER('O=Space')"])
def test_a_certificate_that_is_missing_is_told_as_such(receiver: str) -> None:
    _, earth, saturn = pair(ANY, receiver, earth=None)
    assert earth.status(CHANNEL) == "STOPPED"
    assert saturn.logged("AMQ9637")
    assert earth.logged("AMQ9642")
    (about,) = events(saturn)
    assert about[MQIACF.REASON_QUALIFIER] == MQRQ.SSL_CLIENT_AUTH_ERROR


def test_a_certificate_may_be_missing_where_none_is_asked_for() -> None:
    _, earth, saturn = pair(ANY, OPTIONAL, earth=None)
    assert earth.status(CHANNEL) == "RUNNING"
    assert (saturn.row(CHANNEL)["SSLPEER"], saturn.row(CHANNEL)["SECPROT"]) == ("", "TLSV13")


@pytest.mark.spec("tls.md T-01")
def test_the_channel_is_judged_when_it_is_named_if_the_hello_named_none() -> None:
    stage = Stage()
    mars = stage.station("MARS", f"DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) {FIXED} SSLCAUTH(OPTIONAL)")
    with callers_inside(mars, inside()):
        calls(stage, "MARS", initial_data()).is_refused(StatusCode.CIPHER_SPEC)
    assert mars.logged("AMQ9631")
    with callers_inside(mars, inside(cipher="ECDHE_RSA_AES_128_GCM_SHA256", protocol="TLSV12")):
        assert calls(stage, "MARS", initial_data()).hears_one(SegmentType.INITIAL_DATA).flags == 0


@pytest.mark.spec("tls.md T-04")
def test_a_channel_with_a_certificate_of_its_own_must_be_named_in_the_hello() -> None:
    stage = Stage()
    mars = stage.station("MARS", f"DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) {OPTIONAL} CERTLABL(special)")
    with callers_inside(mars, inside()):
        calls(stage, "MARS", initial_data()).is_refused(StatusCode.CIPHER_SPEC)
    assert mars.logged("AMQ9673")
    with callers_inside(mars, inside(channel="VENUS.TO.MARS")):
        assert calls(stage, "MARS", initial_data()).hears_one(SegmentType.INITIAL_DATA).flags == 0


# Channels that the calling end refuses


@pytest.mark.parametrize(
    ("sender", "saturn", "amq", "qualifier"),
    [
        (f"{ANY} SSLPEER('CN=MARS')", certificate("CN=SATURN"), "AMQ9636", MQRQ.SSL_PEER_NAME_ERROR),
        (f"{ANY} SSLPEER('CN=MARS')", None, "AMQ9637", MQRQ.SSL_CLIENT_AUTH_ERROR),
    ],
)
def test_a_partner_of_another_name_stops_the_channel(
    sender: str, saturn: PeerCertificate | None, amq: str, qualifier: int
) -> None:
    stage, earth, _ = pair(sender, ANY, saturn=saturn)
    assert earth.status(CHANNEL) == "STOPPED"
    (line,) = earth.logged(amq)
    assert line.startswith(CHANNEL)
    assert line.endswith("SATURN(1414)")
    (about,) = events(earth)
    assert about[MQIACF.REASON_QUALIFIER] == qualifier
    assert (about[MQCACH.CHANNEL_NAME], about[MQCACH.XMIT_Q_NAME]) == (CHANNEL, "SATURN")
    stage.wait(100)
    assert len(earth.logged(amq)) == 1, "no further attempts"
    earth.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) SSLPEER(' ')")
    earth.types(f"START CHANNEL({CHANNEL})")
    stage.wait_until(lambda: earth.status(CHANNEL) == "RUNNING")


def test_ends_that_share_no_cipher_spec_are_told_and_stop() -> None:
    _, earth, saturn = pair("SSLCIPH(ANY_TLS13)", FIXED)
    assert earth.status(CHANNEL) == "STOPPED"
    assert earth.logged("AMQ9616") == [f"no common CipherSpec {CHANNEL} SATURN(1414)"]
    assert saturn.logged("AMQ9616")[0].startswith(f"no common CipherSpec {CHANNEL} 10.0.0.1(")
    for station in (earth, saturn):
        (about,) = events(station)
        assert about[MQIACF.REASON_QUALIFIER] == MQRQ.SSL_HANDSHAKE_ERROR
        assert about[MQCACH.CHANNEL_NAME] == CHANNEL
        assert about[MQCACH.SSL_HANDSHAKE_STAGE] == "no common CipherSpec"
        assert about[MQIACH.SSL_RETURN_CODE] == 402


def test_nobody_is_told_while_events_of_tls_are_disabled() -> None:
    _, earth, saturn = earth_and_saturn("", ANY, start=False)
    earth.types(f"START CHANNEL({CHANNEL})")
    earth.stage.wait_until(lambda: saturn.logged("AMQ9639"))
    assert saturn.get(EVENTS) is None


def test_the_next_address_is_tried_and_the_channel_retries_if_one_is_only_down() -> None:
    stage, earth, _ = earth_and_saturn(f"{ANY} SSLPEER('CN=MARS')", ANY, start=False)
    earth.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('SATURN,MARS')")
    earth.types(f"START CHANNEL({CHANNEL})")
    stage.wait_until(lambda: earth.status(CHANNEL) == "RETRYING")
    assert len(earth.logged("AMQ9636")) == 1
    (line,) = earth.logged("AMQ9202")
    assert line.endswith("; MARS(1414): refused")
    stage.station("MARS", f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR) {ANY}")
    stage.wait_until(lambda: earth.status(CHANNEL) == "RUNNING")
    assert earth.row(CHANNEL)["SSLPEER"] == "SERIALNUMBER=2A,CN=MARS,O=Space"


def test_a_ping_is_refused_in_words_and_stops_nothing() -> None:
    stage, earth, _ = earth_and_saturn(f"{ANY} SSLPEER('CN=MARS')", ANY, start=False)
    reply = earth.enters(f"PING CHANNEL({CHANNEL})")
    assert not reply.ok
    assert [each.amq for each in reply.responses] == ["AMQ9636"]
    assert earth.status(CHANNEL) == "INACTIVE"
    earth.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) SSLPEER(' ')")
    earth.types(f"PING CHANNEL({CHANNEL})")
    del stage


# What partners say to us


@pytest.mark.spec("tls.md T-07")
@pytest.mark.parametrize(
    ("code", "amq", "after"),
    [
        (StatusCode.CIPHER_SPEC, "AMQ9641", "STOPPED"),
        (StatusCode.PEER_NAME, "AMQ9643", "STOPPED"),
        (StatusCode.SSL_CLIENT_CERTIFICATE, "AMQ9642", "STOPPED"),
        (StatusCode.SSL_REFRESHING, "AMQ9558", "RETRYING"),
    ],
)
def test_refusals_of_partners_stop_the_channel_unless_they_pass(code: StatusCode, amq: str, after: str) -> None:
    stage, mars, venus = to_venus(ANY)
    mars.types("START CHANNEL(MARS.VENUS)")
    venus.is_called().sends(status(0x0A, code=code))
    stage.wait_until(lambda: mars.status("MARS.VENUS") == after)
    assert mars.logged(amq)


# Names in the hello


@pytest.mark.spec("tls.md T-02")
@pytest.mark.spec("tls.md T-03")
@pytest.mark.parametrize(
    ("word", "name"), [("channel", "mars2e-venus.chl.mq.ibm.com"), ("hostname", "VENUS"), ("none", "")]
)
def test_callers_send_the_name_that_is_configured(word: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    offers: list[Any] = []
    stage, mars, venus = to_venus(ANY, outbound_sni=word)
    agrees = mars.agrees
    monkeypatch.setattr(mars, "agrees", lambda offer, stream: offers.append(offer) or agrees(offer, stream))
    mars.types("START CHANNEL(MARS.VENUS)")
    venus.is_called()
    assert [offer.server_name for offer in offers] == [name]
    del stage


# Sessions that fail when the handshake seems to be over (with TLS 1.3 a caller learns later that it is refused)


@pytest.mark.spec("tls.md T-08")
@pytest.mark.parametrize(("permanent", "after"), [(True, "STOPPED"), (False, "RETRYING")])
def test_a_session_that_fails_later_stops_the_channel_or_lets_it_retry(permanent: bool, after: str) -> None:
    stage, earth, saturn = pair()
    fault = TlsFault(
        "AMQ9665", ("alert",), qualifier=MQRQ.SSL_HANDSHAKE_ERROR, permanent=permanent, stage="alert", return_code=48
    )
    (driver, end) = next(iter(earth.ends.items()))

    def fail() -> None:
        earth.gateway.connections.tls_failed(driver, fault, stage.clock.now)
        driver.lost(stage.clock.now)

    earth.call(fail)
    assert earth.status(CHANNEL) == after
    assert earth.logged("AMQ9665") == [f"alert {CHANNEL} SATURN(1414)"]
    assert not earth.logged("AMQ9209"), "it is told once"
    (about,) = events(earth)
    assert (about[MQCACH.CHANNEL_NAME], about[MQCACH.XMIT_Q_NAME]) == (CHANNEL, "SATURN")
    assert (about[MQCACH.SSL_HANDSHAKE_STAGE], about[MQIACH.SSL_RETURN_CODE]) == ("alert", 48)
    end.stream.drop_side(0)
    stage.wait_until(lambda: saturn.status(CHANNEL) == "INACTIVE")
    if not permanent:
        stage.wait_until(lambda: earth.status(CHANNEL) == "RUNNING")
