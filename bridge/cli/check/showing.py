"""How ``mqbridge check`` shows what it has found: as text, and as JSON."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from mqbridge.bridge.security.checks import CertificateFact, Entrance, Estate, Finding, entrances

from .gathering import Checked


def lines(checked: Checked, findings: Sequence[Finding], *, only_findings: bool = False) -> Iterator[str]:
    """The lines of the report."""
    if not only_findings:
        yield f"{checked.estate.queue_manager.name}, {checked.source}"
        yield from _certificates(checked)
        yield from _users(checked.estate)
        yield from _doors(checked.estate)
        yield "To do" if findings else "Nothing is to be done."
    for each in findings:
        yield f"  {each.subject}: {each.text}"
        yield f"      {each.action}"


def _certificates(checked: Checked) -> Iterator[str]:
    estate = checked.estate
    yield f"Certificates in {checked.repository}"
    for each in estate.certificates:
        if each.role in ("own", "trusted"):
            yield f"  {'trusted' if each.role == 'trusted' else each.label}  {_certificate(each)}"
    if not estate.certificates:
        yield "  none"


def _certificate(fact: CertificateFact) -> str:
    return fact.problem or f"{fact.subject}, until {_day(fact.not_after)}"


def _day(seconds: float) -> str:
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.UTC):%Y-%m-%d}"


def _users(estate: Estate) -> Iterator[str]:
    yield "Users"
    users = list(estate.users or ())
    for user in users:
        yield f"  {user.name} {','.join(user.groups)}".rstrip()
    if not users:
        yield f"  {estate.users_problem or 'none'}"


def _doors(estate: Estate) -> Iterator[str]:
    yield "Doors"
    for listener in estate.listeners:
        yield f"  channels at {listener.place}, for {_reach(listener.is_local)}"
    found = entrances(estate)
    closed = 0
    for channel, those in groupby(found, key=lambda each: each.channel):
        ways = list(those)
        if all(each.refused_by for each in ways):
            closed += 1
            continue
        yield f"    {channel}, {ways[0].kind}"
        yield from (f"      {each}" for each in ways)
    if closed:
        yield f"    {closed} channel{'s' if closed > 1 else ''} for nobody"
    for record in estate.channel_rules:
        if record.text("TYPE") == "BLOCKADDR":
            yield f"    nobody from {', '.join(record.texts('ADDRLIST'))}"
    if estate.admin is not None:
        who = f"mode {estate.admin.mode:o}" if estate.admin.is_socket else "users with a password"
        yield f"  administration at {estate.admin.place}, {who}, for {_reach(estate.admin.is_local)}"
    if estate.web is not None:
        how, reach = "without TLS" if estate.web.plain else "TLS", _reach(estate.web.is_local)
        yield f"  web at {estate.web.place}, {how}, users with password or certificate, for {reach}"
    for each in estate.inputs:
        how, who = "without TLS" if each.plain else "TLS", ", ".join(each.users) or "anybody"
        yield f"  input of route {each.route} at {each.place}, {how}, {who}, for {_reach(each.is_local)}"


def _reach(is_local: bool) -> str:
    return "this machine" if is_local else "other machines"


def document(checked: Checked, findings: Sequence[Finding]) -> dict[str, Any]:
    """The report as JSON."""
    estate = checked.estate
    return {
        "queueManager": estate.queue_manager.name,
        "source": checked.source,
        "certificates": [_certificate_document(each) for each in estate.certificates],
        "users": [{"name": user.name, "groups": list(user.groups)} for user in estate.users or ()],
        "listeners": [{"place": each.place, "local": each.is_local} for each in estate.listeners],
        "entrances": [_entrance_document(each) for each in entrances(estate)],
        "findings": [{"subject": each.subject, "text": each.text, "action": each.action} for each in findings],
    }


def _certificate_document(fact: CertificateFact) -> dict[str, Any]:
    return {
        "label": fact.label,
        "role": fact.role,
        "subject": fact.subject,
        "notAfter": None if fact.problem else _day(fact.not_after),
        "key": fact.key,
        "problem": fact.problem,
    }


def _entrance_document(entrance: Entrance) -> dict[str, Any]:
    return {
        "channel": entrance.channel,
        "type": entrance.kind,
        "who": entrance.who,
        "address": entrance.address,
        "user": entrance.user,
        "refusedBy": entrance.refused_by,
        "record": entrance.decided_by,
        "password": entrance.password,
        "cipher": entrance.cipher,
        "certificate": entrance.certificate,
    }
