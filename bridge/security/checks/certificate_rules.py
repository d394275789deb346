"""Rules of ``mqbridge check`` about certificates: each a function from what is known to findings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

from .entrances import INBOUND
from .facts import CertificateFact, Estate
from .finding import Finding

DAYS_AHEAD: Final = 30
"""Days before its end from which a certificate is reported."""
_DAY: Final = 86400.0
_NEEDS_RSA: Final = ("TLS_RSA", "ECDHE_RSA")
_NEEDS_ECDSA: Final = ("ECDHE_ECDSA",)
_CALLING: Final = ("SDR", "SVR", "RQSTR", "CLUSSDR")


def _unusable_repository(estate: Estate) -> Iterator[Finding]:
    uses_tls = any(channel.text("SSLCIPH") for channel in estate.channels)
    if estate.repository_problem and (uses_tls or estate.certificates):
        yield Finding("certificates", estate.repository_problem, "channels with SSLCIPH do not start without it")


def _unusable_certificates(estate: Estate) -> Iterator[Finding]:
    for each in estate.certificates:
        if each.problem:
            yield Finding(_named(each), each.problem, "it cannot be used as it is")


def _dates_of_certificates(estate: Estate) -> Iterator[Finding]:
    for each in estate.certificates:
        if each.problem:
            continue
        if each.not_before > estate.now:
            yield Finding(_named(each), "it is not valid yet", "check the clock of this machine")
        days = math.floor((each.not_after - estate.now) / _DAY)
        if days < DAYS_AHEAD:
            when = "it has expired" if days < 0 else f"it expires in {days} {'day' if days == 1 else 'days'}"
            yield Finding(_named(each), when, _renewal(each))


def _renewal(certificate: CertificateFact) -> str:
    if certificate.role == "own":
        label = certificate.label
        return (
            f"mqbridge certificate request --label {label} and receive, or create --label {label} --replace; then "
            "REFRESH SECURITY TYPE(SSL)"
        )
    if certificate.role == "authority":
        return "make another authority in a new folder, and give its certificate to clients and partners"
    if certificate.role == "above":
        return "ask its authority for the next one, and receive or import it with the certificate below"
    return "trust the next one of its owner, then mqbridge certificate untrust this one"


def _incomplete_chains(estate: Estate) -> Iterator[Finding]:
    for each in estate.certificates:
        if each.missing_issuer:
            yield Finding(
                _named(each),
                f"the certificate of its issuer {each.missing_issuer} is missing, so partners may not accept it",
                "mqbridge certificate trust FILE, or import it again with --chain FILE",
            )


def _expired_lists(estate: Estate) -> Iterator[Finding]:
    for each in estate.revocations:
        subject, take = f"revocation list of {each.issuer}", "take the next one: mqbridge certificate revocations FILE"
        if each.next_update is None or each.next_update - estate.now >= _DAY:
            continue
        if each.next_update <= estate.now:
            yield Finding(subject, "it has expired, so the certificates of its issuer are refused", take)
        else:
            yield Finding(subject, "it expires within a day", take)
    for issuer in estate.issuers_without_list:
        yield Finding(
            "revocation lists",
            f'{issuer} has none, and [tls] crl = "required" refuses its certificates',
            "mqbridge certificate revocations FILE",
        )


def _channels_without_certificate(estate: Estate) -> Iterator[Finding]:
    if estate.repository_problem:
        return
    own = {each.label.lower(): each for each in estate.certificates if each.role == "own"}
    for channel in estate.channels:
        cipher, label = channel.text("SSLCIPH"), estate.label_of(channel)
        answers = channel.text("CHLTYPE") in INBOUND
        if not cipher or not (answers or channel.text("CERTLABL")):
            continue
        subject, found = f"channel {channel.name}", own.get(label)
        if found is None:
            yield Finding(
                subject,
                f"it has SSLCIPH({cipher}), but there is no certificate {label}",
                f"mqbridge certificate create --label {label}",
            )
        elif answers and not found.problem:
            yield from _unfit_key(subject, cipher, found)


def _unfit_key(subject: str, cipher: str, certificate: CertificateFact) -> Iterator[Finding]:
    for beginnings, kind in ((_NEEDS_RSA, "RSA"), (_NEEDS_ECDSA, "ECDSA")):
        if cipher.startswith(beginnings) and certificate.key != kind:
            option = "rsa" if kind == "RSA" else "ec"
            yield Finding(
                subject,
                f"SSLCIPH({cipher}) needs an {kind} key, and that of {certificate.label} is {certificate.key}",
                f"mqbridge certificate create --label {certificate.label} --key {option} --replace",
            )


def _nobody_trusted(estate: Estate) -> Iterator[Finding]:
    if estate.repository_problem or any(each.role == "trusted" for each in estate.certificates):
        return
    for channel in estate.channels:
        if not channel.text("SSLCIPH") or channel.name.startswith("SYSTEM."):
            continue
        kind = channel.text("CHLTYPE")
        requires = channel.text("SSLCAUTH") == "REQUIRED" or channel.text("SSLPEER")
        if kind in _CALLING or (kind in INBOUND and requires):
            yield Finding(
                f"channel {channel.name}",
                "it requires the partner's certificate, and none is trusted",
                "mqbridge certificate trust FILE",
            )


def _named(certificate: CertificateFact) -> str:
    if certificate.role == "trusted":
        return f"trusted certificate {certificate.subject or certificate.label}"
    if certificate.role == "above":
        return f"certificate {certificate.subject} above {certificate.label}"
    if certificate.role == "authority":
        return "own authority"
    return f"certificate {certificate.label}"


CERTIFICATE_RULES: Final[tuple[Callable[[Estate], Iterator[Finding]], ...]] = (
    _unusable_repository,
    _unusable_certificates,
    _dates_of_certificates,
    _incomplete_chains,
    _expired_lists,
    _channels_without_certificate,
    _nobody_trusted,
)
