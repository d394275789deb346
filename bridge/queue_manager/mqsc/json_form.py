"""Commands and replies as JSON, in the form of IBM MQ's administrative REST interface (runCommand, runCommandJSON)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from mqbridge.bridge.queue_manager.objects import KINDS, MQRCCF
from mqbridge.bridge.queue_manager.objects.values import Switch, always_quoted
from mqbridge.protocol.constants import MQCC

from .layout import format_response
from .lexer import MQSCSyntaxError
from .parser import Command, parse
from .replies import Cell, CommandReply, Row

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json] | None"

_SWITCHES = sorted(
    {
        attribute.name
        for info in KINDS.values()
        for table in info.tables.values()
        for attribute in table.values()
        if isinstance(attribute.type, Switch)
    }
)
_WITH_NO_FORM = ("PURGE", "REPLACE", *_SWITCHES)
BARE_WORDS = (
    "ALL",
    "CLUSINFO",
    "CURRENT",
    "FORCE",
    "MONITOR",
    "NOPURGE",
    "NOREPLACE",
    "SAVED",
    "SHORT",
    *_WITH_NO_FORM,
)
"""Parameters without a value: ``"yes"`` gives the word, ``"no"`` its NO form where it has one, else nothing."""


def command_from_json(document: Mapping[str, Json]) -> Command:
    """The command of a runCommandJSON request; raises `MQSCSyntaxError`."""
    return parse(text_from_json(document))


def text_from_json(document: Mapping[str, Json]) -> str:
    """The text of the command of a runCommandJSON request; raises `MQSCSyntaxError`.

    ``command`` and ``qualifier`` are verb and object, ``name`` the object's name, ``parameters`` values by lower-case
    keyword (a list for several values), ``responseParameters`` the attributes that DISPLAY is to show.
    """
    verb, noun, name = (document.get(key) for key in ("command", "qualifier", "name"))
    if not isinstance(verb, str) or not isinstance(noun, str):
        raise MQSCSyntaxError(1, 1, '"command" and "qualifier"')
    words = [_word(verb), _word(noun) + (f"({always_quoted(str(name))})" if name not in (None, "") else "")]
    parameters = document.get("parameters", {})
    if not isinstance(parameters, dict):
        raise MQSCSyntaxError(1, 1, '"parameters" as an object')
    words.extend(filter(None, (_parameter(_word(keyword), value) for keyword, value in parameters.items())))
    shown = document.get("responseParameters", [])
    if not isinstance(shown, list):
        raise MQSCSyntaxError(1, 1, '"responseParameters" as a list')
    words.extend(_word(str(keyword)) for keyword in shown)
    return " ".join(words)


def _word(text: str) -> str:
    if not text.isalnum() or not text.isascii():
        raise MQSCSyntaxError(1, 1, "a keyword of letters and digits", f"'{text}'")
    return text.upper()


def _parameter(keyword: str, value: Json) -> str:
    if keyword in BARE_WORDS:
        wanted = value is True or str(value).lower() in ("yes", "")
        return keyword if wanted else "NO" + keyword if keyword in _WITH_NO_FORM else ""
    if keyword == "WHERE":
        return f"WHERE({_condition(str(value))})"
    values = value if isinstance(value, list) else [value]
    return f"{keyword}({','.join(_value(each) for each in values)})"


def _condition(text: str) -> str:
    """``attribute operator value`` with quotes around a value that has none and needs them."""
    words = text.split(maxsplit=2)
    if len(words) != 3:
        raise MQSCSyntaxError(1, 1, '"where" as attribute, operator and value', f"'{text}'")
    value = words[2]
    if len(value) > 1 and value[0] == value[-1] == "'":
        value = always_quoted(value[1:-1].replace("''", "'"))
    elif not re.fullmatch(r"[A-Za-z0-9._/%*]+|[+-][0-9]+", value):
        value = always_quoted(value)
    return f"{_word(words[0])} {_word(words[1])} {value}"


def _value(value: Json) -> str:
    if isinstance(value, bool):
        return "YES" if value else "NO"
    return str(value) if isinstance(value, int) else always_quoted(str(value))


def reply_to_json(reply: CommandReply) -> list[dict[str, Json]]:
    """The entries of ``commandResponse`` of runCommandJSON: one a row, or one for the whole reply."""
    return list(json_entries(reply))


def json_entries(reply: CommandReply) -> Iterator[dict[str, Json]]:
    """See `reply_to_json`."""
    rows = reply.rows
    for row in rows:
        yield {**_codes(reply), "parameters": row_to_json(row)}
    if rows:
        return
    entry = _codes(reply)
    if not reply.ok:
        entry["message"] = [response.line for response in reply.responses]
    yield entry


def reply_to_text(reply: CommandReply) -> list[dict[str, Json]]:
    """The entries of ``commandResponse`` of runCommand: one a message, as lines of text."""
    return list(text_entries(reply))


def text_entries(reply: CommandReply) -> Iterator[dict[str, Json]]:
    """See `reply_to_text`."""
    return ({**_codes(reply), "text": [*format_response(response)]} for response in reply.responses)


def row_to_json(row: Row) -> dict[str, Json]:
    """Attributes by lower-case keyword: numbers as numbers, words as MQSC shows them, lists as lists."""
    return {keyword.lower(): _shown(cell) for keyword, cell in row.items()}


def _shown(cell: Cell) -> Json:
    if isinstance(cell.value, bool):
        return "YES" if cell.value else "NO"
    if isinstance(cell.value, tuple):
        return list(cell.value)
    return cell.value if isinstance(cell.value, int) and cell.text == str(cell.value) else cell.text


def _codes(reply: CommandReply) -> dict[str, Json]:
    return {"completionCode": int(reply.completion), "reasonCode": int(reply.reason)}


def envelope(reply: CommandReply, entries: list[dict[str, Json]]) -> dict[str, Json]:
    """The body of the HTTP response around the entries."""
    overall_reason = 0 if reply.ok else MQRCCF.COMMAND_FAILED
    return {
        "commandResponse": list(entries),
        "overallCompletionCode": reply.completion if not reply.ok else MQCC.OK,
        "overallReasonCode": overall_reason,
    }
