"""Alerts and errors of OpenSSL in our words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cryptography.hazmat.bindings.openssl.binding import Binding
from OpenSSL import SSL

from mqbridge.bridge.operator_messages import MESSAGES, operator_message
from mqbridge.bridge.security.tls import TlsFault
from mqbridge.bridge.tls import TlsError
from mqbridge.bridge.tls.certificate_faults import VERIFICATION_ERRORS, refused_certificate
from mqbridge.bridge.tls.faults import (
    ALERTS,
    alert_received,
    alert_record,
    connection_ended,
    session_error,
    unasked_answers,
)
from mqbridge.protocol.constants import MQRC, MQRQ, StatusCode
from support.tls.authority import Authority
from support.tls.sessions import TLS_1_2, TLS_1_3, join, offer, repository

_SSL_LIBRARY = 20
_ALERT_REASONS = 1000
LIBRARY, MEMORY = Binding().lib, Binding().ffi


def _words_of_openssl(alert: int) -> str:
    """What OpenSSL says of an alert that it has received; blank if it does not know it."""
    SSL.Context(SSL.TLS_METHOD)  # loads the words
    found = LIBRARY.ERR_reason_error_string((_SSL_LIBRARY << 23) | (_ALERT_REASONS + alert))
    return "" if found == MEMORY.NULL else MEMORY.string(found).decode()


def test_all_alerts_that_openssl_knows_are_in_our_table() -> None:
    assert {number for number in range(256) if _words_of_openssl(number)} == {each.number for each in ALERTS.values()}


@pytest.mark.parametrize("number", [each.number for each in ALERTS.values()])
def test_each_alert(number: int) -> None:
    words = _words_of_openssl(number)
    error = session_error(SSL.Error([("SSL routines", "", words)]), handshake=True)
    assert f"({number})" in str(error)
    assert error.fault.return_code == number
    assert (error.fault.amq, error.fault.qualifier) == ("AMQ9665", MQRQ.SSL_HANDSHAKE_ERROR)
    assert error.fault.stage.startswith("alert ")
    assert len(error.fault.stage) <= 40


@pytest.mark.parametrize("words", ["ssl/tls alert bad certificate", "sslv3 alert bad certificate"])
def test_alerts_in_the_words_of_older_versions(words: str) -> None:
    assert "(42)" in str(session_error(SSL.Error([("SSL routines", "", words)]), handshake=True))


def test_alerts_are_told_in_sentences_of_their_own() -> None:
    assert len({alert.number for alert in ALERTS.values()}) == len(ALERTS)
    assert all(re.fullmatch(r"[a-z][^.]*", alert.words) for alert in ALERTS.values())


@pytest.mark.parametrize("name", ["bad record mac", "internal error", "user cancelled", "decryption failed"])
def test_alerts_after_which_a_channel_tries_again(name: str) -> None:
    assert not ALERTS[name].permanent
    assert alert_received(ALERTS[name], handshake=True).reason is MQRC.SSL_INITIALIZATION_ERROR
    assert alert_received(ALERTS[name], handshake=False).reason is MQRC.CONNECTION_BROKEN


def test_a_certificate_that_is_refused_after_our_handshake_is_no_lost_connection() -> None:
    error = alert_received(ALERTS["certificate expired"], handshake=False)
    assert error.reason is MQRC.SSL_INITIALIZATION_ERROR
    assert error.fault.permanent


@pytest.mark.parametrize(
    ("reason", "amq", "permanent"),
    [
        ("no shared cipher", "AMQ9616", True),
        ("unsupported protocol", "AMQ9616", True),
        ("wrong version number", "AMQ9616", True),
        ("http request", "AMQ9661", False),
        ("excessive message size", "AMQ9661", False),
        ("something new", "AMQ9661", False),
    ],
)
def test_errors_of_a_handshake(reason: str, amq: str, permanent: bool) -> None:
    raw = SSL.Error([("SSL routines", "", reason), ("SSL routines", "", "record layer failure")])
    error = session_error(raw, handshake=True)
    assert (error.fault.amq, error.fault.permanent) == (amq, permanent)
    assert error.fault.stage
    later = session_error(raw, handshake=False)
    assert not later.fault.permanent
    assert (later.fault.qualifier, later.reason) == (0, MQRC.CONNECTION_BROKEN)


def test_an_error_without_words() -> None:
    for raw in (SSL.Error(), SSL.Error([]), SSL.Error([("", "", "")]), SSL.SysCallError(-1, "Unexpected EOF")):
        assert str(session_error(raw, handshake=True)).startswith("the partner broke the protocol of TLS: ")


@pytest.mark.parametrize("number", VERIFICATION_ERRORS)
def test_each_error_of_a_certificate(number: int) -> None:
    error = refused_certificate(number, "CN=EARTH", "CN=Authority")
    words, code = VERIFICATION_ERRORS[number]
    assert str(error) == f"certificate CN=EARTH, issued by CN=Authority: {words}"
    assert error.fault == TlsFault(
        "AMQ9633", (str(error),), StatusCode.CIPHER_SPEC, MQRQ.SSL_HANDSHAKE_ERROR, True, "certificate", code
    )


def test_long_names_are_cut() -> None:
    assert len(str(refused_certificate(10, "CN=" + "x" * 100_000, "CN=" + "y" * 100_000))) < 2200


def test_an_error_of_a_certificate_that_is_new() -> None:
    assert str(refused_certificate(999, "")) == "certificate without a name: it did not pass check 999 of OpenSSL"


@pytest.mark.parametrize(
    ("number", "reason"),
    [(23, MQRC.SSL_CERTIFICATE_REVOKED), (62, MQRC.SSL_PEER_NAME_MISMATCH), (10, MQRC.SSL_INITIALIZATION_ERROR)],
)
def test_reasons_for_programs(number: int, reason: MQRC) -> None:
    assert refused_certificate(number, "CN=EARTH").reason is reason


@pytest.mark.parametrize(
    "error",
    [
        connection_ended(handshake=True),
        connection_ended(handshake=False),
        unasked_answers(),
        refused_certificate(10, "CN=EARTH"),
        session_error(SSL.Error([("", "", "no shared cipher")]), handshake=True),
    ],
)
def test_the_log_has_words_for_each(error: TlsError) -> None:
    assert error.fault.amq in MESSAGES
    assert str(error) in operator_message(error.fault.amq, error.fault.inserts).text


@pytest.mark.parametrize("newer", [False, True])
@pytest.mark.parametrize("number", [alert.number for alert in ALERTS.values() if alert.number != 41])
def test_a_caller_is_told_what_an_alert_means(number: int, newer: bool, tmp_path: Path) -> None:
    contexts = repository(tmp_path, Authority(), "earth")
    caller = contexts.call(offer(*(TLS_1_3 if newer else TLS_1_2)))
    caller.receive_data(b"")
    with pytest.raises(TlsError, match=rf"\({number}\)"):
        caller.receive_data(alert_record(number))


def test_a_partner_that_closes_in_the_handshake(tmp_path: Path) -> None:
    contexts = repository(tmp_path, Authority(), "earth")
    caller = contexts.call(offer())
    caller.receive_data(b"")
    with pytest.raises(TlsError, match="ended the connection during the handshake") as caught:
        caller.receive_data(bytes.fromhex("15030300020100"))
    assert not caught.value.fault.permanent


def test_a_warning_before_the_answer_is_nothing(tmp_path: Path) -> None:
    """Java answers a server name that it does not know with a warning, unrecognized_name, and goes on."""
    contexts = repository(tmp_path, Authority(), "earth")
    caller, called = contexts.call(offer()), contexts.answer(lambda _: offer())
    caller.receive_data(b"")
    called.receive_data(caller.data_to_send())
    assert caller.receive_data(bytes.fromhex("15030300020170")) == b""
    caller.receive_data(called.data_to_send())
    assert join(caller, called) == {}
