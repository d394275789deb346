"""DISPLAY of definitions, with generic names, attribute lists, ALL and WHERE (channels.md 17.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.objects import (
    KINDS,
    QUEUE_KINDS,
    Attribute,
    AttributeUnknown,
    Definition,
    Kind,
    is_generic,
)
from mqbridge.bridge.queue_manager.objects.security_attributes import AUTHREC_KEYS
from mqbridge.bridge.queue_manager.objects.service_attributes import NAME_COUNT

from .context import Context
from .filters import Filter, take_filter
from .messages import displayed
from .replies import Cell, Row, attribute_cell, cell

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Steps

_SHOWN: Final = 100
"""Turn units for a definition."""
CELL: Final = 12
"""Turn units for an attribute."""
_QUEUE_MANAGER_GROUPS = ("EVENT", "CHINIT", "SYSTEM", "CLUSTER", "PUBSUB")


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a DISPLAY: kinds of object, the keyword of their name, and the keyword of their type.

    `narrow`: keywords that select by type (``TYPE`` and ``CHLTYPE`` of channels).
    """

    kinds: tuple[Kind, ...]
    name: str
    type: str = ""
    narrow: tuple[str, ...] = ()


_LEADING = {Kind.SUB: ("SUBID",), Kind.AUTHREC: AUTHREC_KEYS}
"""Attributes that are always shown, beside name and type."""


def _subject(*kinds: Kind) -> Subject:
    info = KINDS[kinds[0]]
    name = info.key.name
    if info.type is not None:
        return Subject(kinds, name, info.type.name, ("TYPE", "QTYPE") if name == "QUEUE" else ("TYPE",))
    if kinds[0] is Kind.LISTENER:  # the type does not show beside the name
        return Subject(kinds, name, "", (info.selector,))
    if info.selector:
        return Subject(kinds, name, info.selector, ("TYPE", "CHLTYPE") if name == "CHANNEL" else (info.selector,))
    return Subject(kinds, name)


SUBJECTS: dict[str, Subject] = {"QUEUE": _subject(*QUEUE_KINDS), **{kind.value: _subject(kind) for kind in KINDS}}


def display(context: Context) -> None:
    """DISPLAY object(generic name) [WHERE(…)] [ALL | attributes]."""
    command = context.command
    subject = SUBJECTS[command.noun]
    generic = context.objects.name if command.noun == "QMGR" else command.required_name("name or generic name")
    if command.noun == "QUEUE":
        command.flag("CLUSINFO")
    if command.noun == "QMGR":
        for group in _QUEUE_MANAGER_GROUPS:
            command.flag(group)
    wanted = take_types(context, subject)
    definitions = [
        each for each in context.objects.select(*subject.kinds, generic=generic) if wanted is None or wanted(each)
    ]
    show(context, subject, definitions, is_generic(generic), generic)


def definition_row(context: Context, subject: Subject, definition: Definition) -> Row:
    """The row of DISPLAY … ALL for a definition, name and type first."""
    row: Row = {subject.name: cell(subject.name, definition.name)}
    if definition.kind is Kind.SUB:
        row["SUBID"] = attribute_cell(definition, "SUBID")
    if subject.type:
        row[subject.type] = cell(subject.type, _type_word(definition))
    shown: dict[str, Cell] = {
        keyword: attribute_cell(definition, keyword) for keyword in definition.table if keyword not in row
    }
    if definition.kind is Kind.QLOCAL:
        queue = context.manager.queue(definition.name)
        counts = (queue.depth, queue.input_count, queue.output_count) if queue is not None else (0, 0, 0)
        fields = zip(KINDS[Kind.QLOCAL].counters, counts, strict=True)
        shown.update((field.name, cell(field.name, count)) for field, count in fields)
    if definition.kind is Kind.NAMELIST:
        shown[NAME_COUNT.name] = cell(NAME_COUNT.name, len(definition.texts("NAMES")))
    row.update(sorted(shown.items()))
    return row


def _type_word(definition: Definition) -> str:
    if definition.kind in QUEUE_KINDS:
        return definition.kind.value
    return "LOCAL" if definition.kind is Kind.TOPIC else definition.subtype


def take_types(context: Context, subject: Subject) -> Callable[[Definition], bool] | None:
    """Parse TYPE(…) and return a predicate for it; None without one."""
    if not subject.narrow:
        return None
    if subject.name == "QUEUE":
        choices: Sequence[str] = tuple(kind.value for kind in QUEUE_KINDS)
    elif subject.name == "TOPIC":
        choices = ("LOCAL",)
    else:
        choices = tuple(KINDS[subject.kinds[0]].tables)
    word = ""
    for keyword in subject.narrow:
        parameter = next((each for each in context.command.parameters if each.keyword == keyword), None)
        if parameter is not None and parameter.values is not None:
            word = context.command.word(keyword, (*choices, "ALL"))
    if word in ("", "ALL"):
        return None
    return lambda definition: (_type_word(definition) if subject.type else definition.subtype) == word


def finder(subject: Subject) -> Callable[[str], Attribute | None]:
    """A function from keyword to attribute; it returns None for a field that is shown but is not an attribute."""
    tables = [table for kind in subject.kinds for table in KINDS[kind].tables.values()]
    counters = (field.name for kind in subject.kinds for field in KINDS[kind].counters)
    extra = {subject.name, subject.type, *subject.narrow, *counters}

    def find(keyword: str) -> Attribute | None:
        for table in tables:
            try:
                return table.find(keyword)
            except AttributeUnknown:
                continue
        if keyword in extra:
            return None
        raise AttributeUnknown(f"'{keyword}' is nothing that DISPLAY {subject.name} shows")

    return find


def take_keywords(context: Context, find: Callable[[str], Attribute | None]) -> list[str]:
    """Parse the remaining parameters as names of attributes. Raises `MQSCSyntaxError` at an unknown one."""
    command = context.command
    keywords = []
    for parameter in list(command.parameters):
        if parameter.values is not None:
            raise command.error(parameter.offset, "an attribute without a value", f"'{parameter.keyword}(…)'")
        attribute = command.located(parameter, lambda word=parameter.keyword: find(word))  # type: ignore[misc]
        keywords.append(attribute.name if attribute is not None else parameter.keyword)
        command.parameters.remove(parameter)
    return keywords


def show(context: Context, subject: Subject, definitions: Iterable[Definition], generic: bool, asked: str) -> None:
    """Reply with a row for each definition that meets WHERE, or that nothing was found."""
    command = context.command
    find = finder(subject)
    condition = take_filter(command, find)
    everything = command.flag("ALL")
    keywords = take_keywords(context, find)
    leading = {subject.name, subject.type, *_LEADING.get(subject.kinds[0], ())}
    everything = everything or (not generic and not keywords and condition is None)

    def steps() -> Steps:
        yield 0
        for definition in definitions:
            row = definition_row(context, subject, definition)
            if condition is None or condition.accepts(row.get(condition.keyword)):
                kept = row if everything else selected(row, leading, keywords, condition)
                context.reply.add(displayed(definition.kind), row=kept)
            yield _SHOWN + CELL * len(row)
        if context.reply.responses:
            context.done(context.reply)
        else:
            context.found_nothing(f"no object is meant by {command.noun} {asked}")

    context.in_turns(steps())


def selected(row: Row, leading: Iterable[str], keywords: Sequence[str], condition: Filter | None) -> Row:
    """The part of a row to show: fields that always show, the keywords requested, and that of WHERE."""
    shown = {*leading, *keywords, *((condition.keyword,) if condition is not None else ())}
    return {keyword: kept for keyword, kept in row.items() if keyword in shown}
