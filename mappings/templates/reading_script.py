"""Session scripts of a description: tables ``[session.initiator]`` and ``[session.responder]`` (M-169)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .limits import MAX_RULES, MAX_SECONDS, MAX_SENDS, MAX_STATES
from .reading_fields import read_value
from .script import COPY_REST, On, Other, Reaction, Rule, Script, Send, State
from .tables import Table, near
from .transaction import Role, Transaction
from .values import Value

_LEAST: Final = 0.01
"""Shortest time limit in seconds: what is shorter would be a script without an end."""
_EVENTS: Final = tuple(each.value for each in On if each is not On.PACKET)
_RULE_KEYS: Final = (
    "on", "packet", "where", "send", "next", "deliver", "answer", "accepted", "refused", "close",
)  # fmt: skip

Transactions = Mapping[str, Transaction]


def read_script(table: Table, transactions: Transactions, role: Role) -> Script:
    """Return the script of one end. Raises `TemplateError`."""
    table.allow("state", "unrecognised", "unexpected")
    tables = list(table.tables("state", MAX_STATES))
    if not tables:
        raise table.fault("", f"{table.name} has no states [[session.{role}.state]]")
    names: dict[str, int] = {}
    for index, each in enumerate(tables):
        name = each.allow("name", "within", "idle", "rule").named("name")
        if name in names:
            raise each.fault("name", f"there is a state {name!r} already")
        names[name] = index
    states = {
        name: _state(tables[index], transactions, role, tuple(names), first=not index) for name, index in names.items()
    }
    _check_endless(states, {name: tables[index] for name, index in names.items()})
    return Script(
        next(iter(names)),
        states,
        _reaction(table, "unrecognised", transactions, role),
        _reaction(table, "unexpected", transactions, role),
    )


def _state(table: Table, transactions: Transactions, role: Role, names: tuple[str, ...], first: bool) -> State:
    rules: list[Rule] = []
    for each in table.tables("rule", MAX_RULES):
        rule = _rule(each, transactions, role, names)
        if rule.on is On.CONNECT and not first:
            raise each.fault("on", "the connection stands before any other state than the first; 'enter' is meant?")
        if rule.on is not On.PACKET and any(rule.on is other.on for other in rules):
            raise each.fault("on", f"there is a rule for {rule.on.value!r} already")
        if rule.on is On.PACKET and any(rule[:3] == other[:3] for other in rules):
            raise each.fault("packet", f"there is a rule for {rule.packet!r} with the same values already")
        rules.append(rule)
    state = State(
        table.named("name"),
        tuple(rules),
        table.seconds("within", _LEAST, MAX_SECONDS),
        table.seconds("idle", _LEAST, MAX_SECONDS),
    )
    for event, key, seconds in ((On.TIMEOUT, "within", state.within), (On.IDLE, "idle", state.idle)):
        if state.rule(event) is not None and not seconds:
            raise table.fault("", f"state {state.name!r} has a rule for {event.value!r}, but no {key!r}")
    return state


def _rule(table: Table, transactions: Transactions, role: Role, names: tuple[str, ...]) -> Rule:
    table.allow(*_RULE_KEYS)
    if ("on" in table) == ("packet" in table):
        raise table.fault("", f"a rule has one of on ({', '.join(_EVENTS)}) and packet (a transaction)")
    on = On(table.choice("on", _EVENTS)) if "on" in table else On.PACKET
    packet = ""
    where: dict[str, Value] = {}
    if on is On.PACKET:
        other: Role = "responder" if role == "initiator" else "initiator"
        found = _transaction(table, "packet", table.content["packet"], transactions, other)
        packet = found.name
        where = _fields_set(table.table("where"), found)
    elif "where" in table:
        raise table.fault("where", "where is for packets")
    rule = Rule(
        on,
        packet,
        where,
        _sends(table, transactions, role, packet),
        table.text("next"),
        deliver=table.flag("deliver"),
        answer=table.flag("answer"),
        accepted=table.flag("accepted"),
        refused=table.flag("refused"),
        close=_close(table),
    )
    _check_rule(table, rule, names)
    return rule


def _check_rule(table: Table, rule: Rule, names: tuple[str, ...]) -> None:
    if rule.next and rule.next not in names:
        raise table.fault("next", f"there is no state {rule.next!r}", near(rule.next, names))
    for key, there in (("deliver", rule.deliver), ("answer", rule.answer)):
        if there and rule.on is not On.PACKET:
            raise table.fault(key, f"{key!r} is for packets")
    if rule.deliver and rule.answer:
        raise table.fault("answer", "a packet is a message of its own (deliver) or an answer, not both")
    if rule.accepted and rule.refused:
        raise table.fault("refused", "a message is accepted or refused, not both")
    if rule.close and rule.next:
        raise table.fault("next", "there is no state behind the end of the connection")
    if rule.on is On.CLOSED and (rule.send or rule.next):
        raise table.fault("", "nothing can follow when the other end has closed")


def _close(table: Table) -> str:
    if "close" not in table:
        return ""
    text = table.text("close")
    if not text:
        table.wrong("close", "the reason in a few words")
    return text


def _sends(table: Table, transactions: Transactions, role: Role, packet: str) -> tuple[Send, ...]:
    value = table.content.get("send", [])
    items = value if isinstance(value, list) else [value]
    if len(items) > MAX_SENDS:
        raise table.fault("send", f"{len(items)} packets; {MAX_SENDS} are allowed")
    return tuple(_send(table, item, transactions, role, packet) for item in items)


def _send(table: Table, item: object, transactions: Transactions, role: Role, packet: str) -> Send:
    if isinstance(item, str):
        return Send(_transaction(table, "send", item, transactions, role).name)
    if not isinstance(item, dict):
        raise table.fault("send", 'a packet to send is a transaction or { packet = "…", set = { … }, copy = … }')
    inner = table.table("send", item).allow("packet", "set", "copy")
    found = _transaction(inner, "packet", inner.need("packet"), transactions, role)
    copy = inner.content.get("copy", {})
    if copy == COPY_REST:
        if found.name != packet:
            raise inner.fault(
                "copy", f"the rest is copied from another {found.name!r}, but this rule is for {packet!r}"
            )
        return Send(found.name, _fields_set(inner.table("set"), found), rest=True)
    if isinstance(copy, list):
        copy = {each: each for each in copy if isinstance(each, str)}
    return Send(found.name, _fields_set(inner.table("set"), found), _copies(inner, copy, found, transactions, packet))


def _copies(table: Table, copy: object, target: Transaction, transactions: Transactions, packet: str) -> dict[str, str]:
    """Fields to copy, each with its source, of which every part must be there."""
    if not isinstance(copy, dict):
        raise table.fault("copy", 'copy is "rest", a list of fields, or { field = "transaction.field" }')
    for name, source in copy.items():
        if name not in target.fields:
            raise table.fault("copy", f"{target.name!r} has no field {name!r}", near(name, target.fields))
        of, _, field = source.rpartition(".") if isinstance(source, str) else ("", "", "")
        there = transactions.get(of or packet)
        if there is None or field not in there.fields:
            raise table.fault(
                "copy", f"there is nothing to copy as {source!r}", near(field, there.fields if there else ())
            )
    return dict(copy)


def _fields_set(table: Table, transaction: Transaction) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name in table.content:
        field = transaction.fields.get(name)
        if field is None:
            raise table.fault(name, f"{transaction.name!r} has no field {name!r}", near(name, transaction.fields))
        value = table.content[name]
        named = field.values.get(value) if isinstance(value, str) else None
        found[name] = read_value(table, name, field) if named is None else named
    return found


def _transaction(table: Table, key: str, name: object, transactions: Transactions, sender: Role) -> Transaction:
    found = transactions.get(name) if isinstance(name, str) else None
    if found is None:
        raise table.fault(key, f"there is no transaction {name!r}", near(str(name), transactions))
    if not found.sent_by(sender):
        raise table.fault(key, f"{found.name!r} is not sent by the {sender}")
    return found


def _reaction(table: Table, key: str, transactions: Transactions, role: Role) -> Reaction:
    value = table.content.get(key, Other.CLOSE.value)
    if isinstance(value, dict):
        inner = table.table(key).allow("send")
        inner.need("send")
        if isinstance(inner.content["send"], list):
            inner.wrong("send", "one packet")
        return Reaction(Other.SEND, _sends(inner, transactions, role, "")[0])
    return Reaction(Other(table.choice(key, (Other.CLOSE.value, Other.IGNORE.value), Other.CLOSE.value)))


def _check_endless(states: Mapping[str, State], tables: Mapping[str, Table]) -> None:
    """No way leads from a state back to it by entering alone: it would send for ever without waiting."""
    for start in states:
        seen = {start}
        name = start
        while rule := states[name].rule(On.ENTER):
            if rule.close or not rule.next:
                break
            name = rule.next
            if name in seen:
                raise tables[name].fault("", f"an endless script: state {name!r} comes back to itself without waiting")
            seen.add(name)
