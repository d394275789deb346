"""Commands and ini files as ways to write administration messages, and replies as text (E-031, E-270).

::

    create queue ALARMS --max-size 100
    create remote ORDERS@SATURN --mode asynchronous
    add alias queue ALARMS SIREN BELL
    inquire queue ALARMS --max-size --current-size      all properties without an option
    update queue-manager --description "the van of Mrs. Green"
    start listener TCP

The options are the properties of the class. An ini file has a section for each request, with the same words in its
header and its fields below (`protocol.everyplace.text`)::

    [create local ALARMS]
    (int)qmqs=100
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.everyplace.definitions.bridge_properties import BridgeKind
from mqbridge.bridge.everyplace.definitions.properties import Property
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.definitions.queue_properties import ALIASES, ENTRIES, NAME, OWNER
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.text import read_ini, to_text

from . import actions
from .actions import Action, ReturnCode
from .requests import MAX_ATTEMPTS, Reply, Request
from .vocabulary import Vocabulary, text_of, value_of

_ACTIONS: Final = {each.word: each for each in Action}
_NAMING: Final = (Action.ADD_ALIAS, Action.REMOVE_ALIAS, Action.ADD_ENTRY, Action.REMOVE_ENTRY)
_ASKING: Final = (Action.INQUIRE, Action.INQUIRE_ALL)
_NAMELESS: Final = (actions.QUEUE_MANAGER, BridgeKind.BRIDGES.value)
_QUEUES: Final = (actions.QUEUE, *(kind.value for kind in QueueKind))
USAGE: Final = "ACTION CLASS [NAME[@OWNER]] [NAMES…] [--property VALUE]… [--default PROPERTY]… [--attempts N]"


class Words:
    """Reads and writes. ``vocabulary``: the classes that are known."""

    def __init__(self, vocabulary: Vocabulary | None = None) -> None:
        self._vocabulary = vocabulary or Vocabulary()

    def request(self, words: Sequence[str], target: str) -> Request:
        """Return the request that a command is. ``target``: the queue manager that is to obey.

        Raises `EveryplaceError` SYNTAX.
        """
        action, resource, rest = self._head(words)
        names, options = _divided(rest)
        parameters = Fields()
        if resource not in _NAMELESS:
            if not names:
                raise EveryplaceError(Code.SYNTAX, f"which {resource}? {USAGE}")
            self._put_name(parameters, resource, names.pop(0))
        if action in _NAMING:
            if not names:
                raise EveryplaceError(Code.SYNTAX, f"{action.word} {resource}: name what is to be added or removed")
            row = self._names_row(action, resource)
            parameters.put(row.field, names, row.type)
        elif names:
            raise EveryplaceError(Code.SYNTAX, f"{names[0][:40]!r} is too much; {USAGE}")
        attempts = 1
        for name, text in options:
            if name == "attempts":
                attempts = _attempts(text)
            elif name == "default":
                self._put_null(parameters, self._vocabulary.option(resource, text or ""))
            else:
                self._put(parameters, action, self._vocabulary.option(resource, name), text)
        if action is Action.INQUIRE and not options:
            action = Action.INQUIRE_ALL
        return Request(target, action, resource, parameters, attempts)

    def requests_of_ini(self, text: str, target: str) -> list[Request]:
        """Return the requests of an ini file, in its order. Raises `EveryplaceError` SYNTAX."""
        whole = read_ini(text)
        found = []
        for header in whole:
            request = self.request(header.split(), target)
            section: Fields = whole.get(header, FieldType.FIELDS)
            parameters = request.parameters
            for name in section:
                row = self._vocabulary.field(request.resource, name)
                encoded = section.encoded(name)
                if row is None or encoded is None or encoded.type not in row.types:
                    kind = section.type_of(name).word
                    raise EveryplaceError(Code.SYNTAX, f"[{header}]: {request.resource} has no ({kind}){name}")
                parameters.put_encoded(name, encoded)
            action = Action.INQUIRE if request.action is Action.INQUIRE_ALL and len(section) else request.action
            found.append(Request(target, action, request.resource, parameters, request.attempts))
        return found

    def ini(self, requests: Sequence[Request]) -> str:
        """Return requests as an ini file."""
        parts = []
        for request in requests:
            section = request.parameters.copy()
            name = _full_name(section)
            for row in (NAME, OWNER):
                if row.field in section:
                    section.delete(row.field)
            words = f"{request.action.word} {request.resource} {name}".rstrip()
            if request.action in _NAMING:
                row = self._names_row(request.action, request.resource)
                words = " ".join([words, *section.get(row.field)])
                section.delete(row.field)
            parts.append(to_text(section, title=f"[{words}]\r\n"))
        return "\r\n".join(parts)

    def text(self, reply: Reply) -> str:
        """Return a reply as text of one or more lines, without an end of line."""
        request = reply.request
        name = _full_name(request.parameters)
        head = f"{request.action.word} {request.resource} {name}".rstrip() + f" at {request.target}"
        outcome = {ReturnCode.SUCCESS: "done", ReturnCode.FAILED: "failed", ReturnCode.MIXED: "done in part"}
        lines = [f"{head}: {outcome[reply.code]}"]
        if reply.reason:
            lines.append(f"  {reply.reason}")
        table: list[tuple[str, str]] = []
        if request.action in _ASKING and reply.code is not ReturnCode.FAILED:
            said = [row for row in self._vocabulary.rows(request.resource) if row.field in request.parameters]
            table += [(row.option, text_of(row, request.parameters.get(row.field))) for row in said]
        for field, texts in reply.errors.items():
            row = self._vocabulary.field(request.resource, field)
            option = field if row is None else row.option
            table += [(option, text) for text in texts if text]
        width = max((len(option) for option, _ in table), default=0)
        lines += [f"  {option:{width}}  {text}".rstrip() for option, text in table]
        return "\n".join(lines)

    # Parts

    def _head(self, words: Sequence[str]) -> tuple[Action, str, list[str]]:
        for count in (2, 1):
            action = _ACTIONS.get(" ".join(words[:count]))
            if action is not None and len(words) > count:
                resource = words[count]
                if action is Action.CREATE and resource == actions.QUEUE:
                    resource = QueueKind.LOCAL.value
                self._vocabulary.rows(resource)
                return action, resource, list(words[count + 1 :])
        known = ", ".join(_ACTIONS)
        raise EveryplaceError(Code.SYNTAX, f"{' '.join(words)[:60]!r} begins with none of {known}; {USAGE}")

    @staticmethod
    def _put_name(parameters: Fields, resource: str, text: str) -> None:
        name, at, owner = text.partition("@")
        if at and resource not in _QUEUES:
            raise EveryplaceError(Code.SYNTAX, f"{text[:60]!r}: a {resource} has no owner")
        try:
            parameters.put(NAME.field, name, FieldType.ASCII)
            if at:
                parameters.put(OWNER.field, owner, FieldType.ASCII)
        except EveryplaceError as error:
            raise EveryplaceError(Code.SYNTAX, error.text) from None

    def _names_row(self, action: Action, resource: str) -> Property:
        wanted = ENTRIES if action in (Action.ADD_ENTRY, Action.REMOVE_ENTRY) else ALIASES
        return self._vocabulary.option(resource, wanted.option)

    def _put(self, parameters: Fields, action: Action, row: Property, text: str | None) -> None:
        if action in _ASKING:
            if text is not None:
                raise EveryplaceError(Code.SYNTAX, f"--{row.option} is inquired, so it has no value")
            self._put_null(parameters, row)
        elif text is None:
            raise EveryplaceError(Code.SYNTAX, f"--{row.option} has no value")
        else:
            try:
                parameters.put(row.field, value_of(row, text), row.type)
            except EveryplaceError as error:
                raise EveryplaceError(Code.SYNTAX, f"--{row.option}: {error.text}") from None

    @staticmethod
    def _put_null(parameters: Fields, row: Property) -> None:
        parameters.put(row.field, None)


def _divided(words: Sequence[str]) -> tuple[list[str], list[tuple[str, str | None]]]:
    """Return the words in front of the options, and the options with their values."""
    names: list[str] = []
    options: list[tuple[str, str | None]] = []
    for word in words:
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            options.append((name, value if equals else None))
        elif options and options[-1][1] is None:
            options[-1] = options[-1][0], word
        elif options:
            raise EveryplaceError(Code.SYNTAX, f"{word[:40]!r} stands behind the value of --{options[-1][0]}")
        else:
            names.append(word)
    return names, options


def _attempts(text: str | None) -> int:
    if text is None or not text.isdecimal() or not 1 <= int(text) <= MAX_ATTEMPTS:
        raise EveryplaceError(Code.SYNTAX, f"--attempts is a number from 1 to {MAX_ATTEMPTS}")
    return int(text)


def _full_name(parameters: Fields) -> str:
    name = parameters.get(NAME.field) if NAME.field in parameters else ""
    owner = parameters.get(OWNER.field) if OWNER.field in parameters else ""
    return f"{name}@{owner}" if owner else str(name or "")
