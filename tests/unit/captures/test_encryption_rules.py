"""What rules say of the hellos of TLS, of connections that could be decrypted too."""

from __future__ import annotations

import pytest

from mqbridge.captures.rules import Finding, Judge, load
from mqbridge.captures.rules.capture_faults import TlsSeen
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import Observer, Place

AES_GCM = 0xC02F


def judged(suite: int = AES_GCM, *, answered: bool = True, alert: int | None = None, decrypted: bool) -> list[Finding]:
    seen = TlsSeen(
        Direction.INITIATOR,
        Place(12.5, 7, 0),
        version="TLS 1.2",
        server_name="",
        cipher_suite=suite,
        answered=answered,
        alert=alert,
        decrypted=decrypted,
    )
    return Judge(load().values()).judge([seen], Observer(encrypted=True), 1)


@pytest.mark.parametrize("decrypted", [False, True])
@pytest.mark.parametrize(
    ("suite", "weakness"),
    [
        (0x0002, "nothing is encrypted"),
        (0x003B, "nothing is encrypted"),
        (0xC010, "nothing is encrypted"),
        (0x0034, "neither end proves who it is"),
        (0x0003, "keys of export length"),
        (0x0062, "keys of export length"),
        (0x0005, "RC4"),
        (0x0009, "DES"),
        (0xFEFE, "DES"),
        (0x000A, "triple DES"),
        (0xC012, "triple DES"),
        (0x002F, ""),
        (AES_GCM, ""),
        (0x1301, ""),
    ],
)
def test_a_weak_cipher_suite_is_found(suite: int, weakness: str, decrypted: bool) -> None:
    found = [one.seen for one in judged(suite, decrypted=decrypted) if one.rule == "C-612"]
    assert found == ([f"cipher suite 0x{suite:04X}: {weakness}"] if weakness else [])


def test_a_suite_is_judged_only_when_the_server_has_chosen_it() -> None:
    assert [one.rule for one in judged(0, answered=False, decrypted=False)] == ["C-920"]


@pytest.mark.parametrize(
    ("answered", "alert", "seen"),
    [
        (False, 40, ["alert 40: no common CipherSpec, or no certificate for one"]),
        (False, 99, ["alert 99"]),
        (False, 0, []),
        (False, None, []),
        (True, 48, []),
    ],
)
def test_a_hello_answered_by_an_alert_is_told(answered: bool, alert: int | None, seen: list[str]) -> None:
    found = [one.seen for one in judged(0, answered=answered, alert=alert, decrypted=False) if one.rule == "C-613"]
    assert found == seen


def test_what_was_decrypted_is_not_called_unreadable() -> None:
    assert judged(decrypted=True) == []
    assert [one.rule for one in judged(decrypted=False)] == ["C-920"]
