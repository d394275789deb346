"""What a script and the ids of its packets guarantee over cuts and crashes, and whether it fits a partner."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.bridge.agents.partner.settings import PartnerSettings, PartnerSettingsError
from mqbridge.mappings.templates import Protocol
from mqbridge.mappings.templates.script import On, Rule


def check_script(protocol: Protocol, settings: PartnerSettings) -> None:
    """Raise `PartnerSettingsError` unless the script of our role does what the queues are for."""
    role = settings.role
    if role not in protocol.scripts:
        raise PartnerSettingsError("role", f"protocol {protocol.name!r} has no session script for the {role}")
    rules = list(_rules(protocol, settings))
    if settings.send and not any(rule.on is On.PUT for rule in rules):
        raise PartnerSettingsError("send", f'no state of the {role}\'s script has a rule on = "put"')
    if settings.send and not any(rule.accepted for rule in rules):
        raise PartnerSettingsError("send", f"no rule of the {role}'s script says when a message is accepted")
    if any(rule.deliver for rule in rules) != bool(settings.receive):
        problem = "delivers messages, for which no queue is named" if not settings.receive else "delivers no messages"
        raise PartnerSettingsError("receive", f"the {role}'s script {problem}")


def speaks_first(protocol: Protocol, settings: PartnerSettings) -> bool:
    """Whether the script sends before anything has come."""
    script = protocol.scripts[settings.role]
    rules = [script.states[script.first].rule(each) for each in (On.CONNECT, On.ENTER, On.PUT)]
    return any(rule is not None and (rule.send or rule.next) for rule in rules)


def guarantees(protocol: Protocol, settings: PartnerSettings) -> list[str]:
    """Return a line for each direction, for the log."""
    rules = list(_rules(protocol, settings))
    lines = []
    if settings.send:
        sent = {send.transaction for rule in rules if rule.on is On.PUT for send in rule.send}
        if any(rule.on is On.PUT and rule.accepted for rule in rules):
            lines.append(f"messages of {settings.send} arrive at most once: the script awaits no confirmation")
        else:
            lines.append(_line(protocol, f"messages of {settings.send} arrive", sent))
    if settings.receive:
        came = {rule.packet for rule in rules if rule.deliver}
        lines.append(_line(protocol, f"messages for {settings.receive} are put", came))
    return lines


def _line(protocol: Protocol, what: str, transactions: set[str]) -> str:
    ids = {name: protocol.transactions[name].identity for name in sorted(transactions)}
    known = [f"{name}.{field}" for name, field in ids.items() if field]
    if not known:
        return f"{what} at least once: no packet has an id by which a repeat is known"
    return f"{what} exactly once, known by {', '.join(known)}"


def _rules(protocol: Protocol, settings: PartnerSettings) -> Iterator[Rule]:
    for state in protocol.scripts[settings.role].states.values():
        yield from state.rules
