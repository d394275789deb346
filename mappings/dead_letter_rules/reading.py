"""Rules tables from text."""

from __future__ import annotations

from typing import Final

from .entries import Entry, RulesError, Value, read_entries
from .patterns import PATTERNS, Pattern, read_number, read_pattern
from .table import DEFAULT_RETRY_INTERVAL, Action, Control, Rule, RulesTable

_CONTROL: Final = frozenset(("INPUTQ", "INPUTQM", "RETRYINT", "WAIT"))
_ACTIONS: Final = frozenset(("ACTION", "FWDQ", "FWDQM", "HEADER", "PUTAUT", "RETRY"))
_NAME_LENGTH: Final = 48
_OF_FWD: Final = ("FWDQ", "FWDQM", "HEADER")
_PLACES: Final = {"FWDQ": ("&DESTQ", "&REPLYQ"), "FWDQM": ("&DESTQM", "&REPLYQM")}


def read_rules(text: str) -> RulesTable:
    """Return a table. Raises `RulesError` with the line and the keyword."""
    entries = read_entries(text)
    control = Control()
    if entries and any(value.keyword in _CONTROL for value in entries[0].values):
        control = _control(entries.pop(0))
    if not entries:
        raise RulesError(0, "", "a rules table has at least one rule")
    return RulesTable(control, tuple(_rule(entry) for entry in entries))


def _control(entry: Entry) -> Control:
    values = {value.keyword: value for value in entry.values}
    for value in entry.values:
        if value.keyword not in _CONTROL:
            raise value.wrong("is no keyword of control data; rules begin on lines of their own")
    interval = DEFAULT_RETRY_INTERVAL
    if "RETRYINT" in values:
        interval = read_number(values["RETRYINT"])
        if not interval:
            raise values["RETRYINT"].wrong("an interval of at least one second is expected")
    return Control(
        _name(values.get("INPUTQ")),
        _name(values.get("INPUTQM")),
        interval,
        _wait(values["WAIT"]) if "WAIT" in values else None,
    )


def _wait(value: Value) -> int | None:
    text = value.text.upper()
    if text in ("YES", "NO"):
        return None if text == "YES" else 0
    if not text.isdigit():
        raise value.wrong(f"YES, NO or a number of seconds is expected, not {value.text[:40]!r}")
    return read_number(value)


def _name(value: Value | None) -> str:
    """Return a name without wildcards; blank if there is none. Raises `RulesError`."""
    if value is None:
        return ""
    text = value.text.rstrip(" ")
    if "*" in text or "?" in text:
        raise value.wrong("wildcards are for patterns")
    if "&" in text and text not in _PLACES.get(value.keyword, ()):
        names = " or ".join(_PLACES.get(value.keyword, ()))
        raise value.wrong(f"{text!r} is no name" + (f"; {names} stand for names of the message" if names else ""))
    if len(text) > _NAME_LENGTH:
        raise value.wrong(f"a name has at most {_NAME_LENGTH} characters")
    return text


def _rule(entry: Entry) -> Rule:
    values = {value.keyword: value for value in entry.values}
    patterns: list[Pattern] = []
    for value in entry.values:
        if value.keyword in PATTERNS:
            pattern = read_pattern(value)
            if pattern is not None:
                patterns.append(pattern)
        elif value.keyword in _CONTROL:
            raise value.wrong("control data are the first entry of a table")
        elif value.keyword not in _ACTIONS:
            raise value.wrong("is no keyword of rules")
    if "ACTION" not in values:
        raise RulesError(entry.line, "ACTION", "every rule has an action")
    action = Action(_one_of(values["ACTION"], *(each.value for each in Action)))
    if action is not Action.FWD:
        for keyword in _OF_FWD:
            if keyword in values:
                raise values[keyword].wrong("goes with ACTION(FWD)")
    queue = _name(values.get("FWDQ"))
    if action is Action.FWD and not queue:
        raise RulesError(values.get("FWDQ", values["ACTION"]).line, "FWDQ", "ACTION(FWD) needs the name of a queue")
    return Rule(
        entry.line,
        tuple(patterns),
        action,
        queue,
        _name(values.get("FWDQM")),
        "HEADER" not in values or _one_of(values["HEADER"], "YES", "NO") == "YES",
        "PUTAUT" in values and _one_of(values["PUTAUT"], "DEF", "CTX") == "CTX",
        _attempts(values["RETRY"]) if "RETRY" in values else 1,
    )


def _attempts(value: Value) -> int:
    number = read_number(value)
    if not number:
        raise value.wrong("at least one attempt is expected")
    return number


def _one_of(value: Value, *words: str) -> str:
    text = value.text.upper()
    if text not in words:
        raise value.wrong(f"{', '.join(words[:-1])} or {words[-1]} is expected, not {value.text[:40]!r}")
    return text
