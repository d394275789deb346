"""Translation of PCF commands to MQSC commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mqbridge.bridge.agents.command_server.received_command import (
    FILTERS,
    ReceivedCommand,
    check_type,
    unexpected_parameter,
)
from mqbridge.bridge.queue_manager.mqsc import Command, Source
from mqbridge.bridge.queue_manager.mqsc import CommandParameter as Keyword
from mqbridge.bridge.queue_manager.mqsc.display import SUBJECTS, finder
from mqbridge.bridge.queue_manager.objects import QUEUE_KINDS, Attribute, AttributeUnknown, Kind, Objects
from mqbridge.bridge.queue_manager.objects.service_attributes import ApplicationType
from mqbridge.bridge.queue_manager.objects.values import Integer, Switch, always_quoted
from mqbridge.protocol.constants import MQCA, MQCFT, MQIA, MQIACF, MQRCCF, parameter_name
from mqbridge.protocol.structures.pcf import Parameter

from .errors import RequestError
from .filters import condition
from .identifiers import KEYWORDS, WORDS, words_of
from .records import authorities_asked, connection_asked, entity_asked
from .requests import QUEUE_BY_TYPE, CommandRequest

ALL: Final = "ALL"
_NO_NUMBER: Final = -(2**31)


@dataclass(slots=True)
class TranslatedCommand:
    """A command to run. ``places``: PCF parameter by the offset of its keyword in the command's text.

    ``repeated``: parameters that each response repeats beside what is shown.
    """

    command: Command
    request: CommandRequest
    places: dict[int, Parameter | int] = field(default_factory=dict)
    repeated: dict[int, int | str] = field(default_factory=dict)
    like: str = ""
    replace: bool = False


def translate(request: CommandRequest, given: ReceivedCommand, objects: Objects) -> TranslatedCommand:
    """Return the MQSC command. Raises `RequestError`."""
    return _Translation(request, given, objects).translated()


class _Translation:
    """Consumes the parameters of one PCF command, each once, and collects keywords."""

    def __init__(self, request: CommandRequest, given: ReceivedCommand, objects: Objects) -> None:
        self.request = request
        self.given = given
        self.objects = objects
        self.left = {each.parameter: each for each in given.parameters if each.type not in FILTERS}
        self.filters = [each for each in given.parameters if each.type in FILTERS]
        self.keywords: list[tuple[str, list[str] | None, Parameter | int]] = []
        self.noun = request.noun
        self.name: str | None = None
        self.repeated: dict[int, int | str] = {}

    def translated(self) -> TranslatedCommand:
        request = self.request
        self.name = self._take_name()
        if self.noun == QUEUE_BY_TYPE:
            self.noun = self._queue_kind()
        self._take_special()
        for number, keyword in request.options.items():
            if (parameter := self.left.pop(number, None)) is not None:
                self._add(keyword, parameter)
        for number, meanings in request.flags.items():
            if (parameter := self.left.pop(number, None)) is not None:
                self._flag(parameter, meanings)
        if request.shows or request.names:
            self._inquiry()
        if request.sets:
            self._attributes()
        if request.lenient:
            self.left, self.filters = {}, []
        for parameter in (*self.left.values(), *self.filters):
            raise unexpected_parameter(parameter)
        return self._composed()

    # Name and kind

    def _take_name(self) -> str | None:
        for number in self.request.name:
            if (parameter := self.left.pop(number, None)) is not None:
                check_type(parameter)
                return self.given.one_text(parameter)
        return None

    def _queue_kind(self) -> str:
        """QLOCAL and the like, from Q_TYPE; if the command may omit it, the kind of the existing object."""
        parameter = self.left.pop(MQIA.Q_TYPE, None)
        if parameter is None:
            if self.request.verb == "DEFINE":
                raise RequestError(MQRCCF.PARM_COUNT_TOO_SMALL, "Q_TYPE is missing", MQIA.Q_TYPE)
            kinds = (kind for kind in QUEUE_KINDS if self.objects.find(kind, self.name or "") is not None)
            return next(kinds, Kind.QLOCAL).value
        word = words_of("QUEUE", "TYPE").get(_integer(parameter))
        if word not in QUEUE_KINDS:
            raise RequestError(MQRCCF.Q_TYPE_ERROR, f"Q_TYPE {parameter.value}", parameter.parameter)
        return str(word)

    def _take_special(self) -> None:
        """Consume parameters whose MQSC form differs: connection ids and entities."""
        if self.noun == "CONN":
            self.name, extra = connection_asked(self.left, exactly=not self.request.shows)
            self.keywords += extra
            return
        if self.noun in ("AUTHREC", "ENTAUTH") and self.request.shows:
            self.repeated[MQCA.Q_MGR_NAME] = self.objects.name
            options = self.left.get(MQIACF.AUTH_OPTIONS)
            if options is not None and options.type == MQCFT.INTEGER:
                self.repeated[MQIACF.AUTH_OPTIONS] = int(options.value)
        if self.noun == "ENTAUTH":
            self.keywords += entity_asked(self.left, self.given)
        elif self.noun == "AUTHREC" and self.request.shows:
            self.keywords += authorities_asked(self.left, self.given)

    # Keywords

    def _flag(self, parameter: Parameter, meanings: Mapping[int, str]) -> None:
        check_type(parameter)
        word = meanings.get(_integer(parameter))
        if word is None:
            raise RequestError(MQRCCF.PARM_VALUE_ERROR, f"{parameter.name} {parameter.value}", parameter.parameter)
        if word:
            self.keywords.append((word, None, parameter))

    def _add(self, keyword: str, parameter: Parameter) -> None:
        check_type(parameter)
        words = self.request.words.get(parameter.parameter)
        if words is not None:
            word = words.get(_integer(parameter))
            if word is None:
                raise RequestError(MQRCCF.ACTION_VALUE_ERROR, f"{keyword} {parameter.value}", parameter.parameter)
            self.keywords.append((keyword, [word], parameter))
            return
        attribute = self._attribute(keyword)
        if attribute is not None and isinstance(attribute.type, Switch) and self.request.sets:
            self.keywords.append((_switched(self.noun, keyword, attribute.type, parameter), None, parameter))
        else:
            self.keywords.append((keyword, self._values(keyword, attribute, parameter), parameter))

    def _attribute(self, keyword: str) -> Attribute | None:
        subject = SUBJECTS.get(self.noun)
        if subject is None:
            return None
        try:
            return finder(subject)(keyword)
        except AttributeUnknown:
            return None

    def _values(self, keyword: str, attribute: Attribute | None, parameter: Parameter) -> list[str]:
        if parameter.type in (MQCFT.STRING, MQCFT.STRING_LIST):
            return self.given.texts(parameter)
        if parameter.type == MQCFT.BYTE_STRING:
            return [parameter.value.hex().upper()]
        numbers = parameter.value if parameter.type == MQCFT.INTEGER_LIST else [parameter.value]
        return [number_text(self.noun, keyword, attribute, number, parameter.parameter) for number in numbers]

    # Inquiries and attributes

    def _inquiry(self) -> None:
        if len(self.filters) > 1:
            raise RequestError(MQRCCF.TOO_MANY_FILTERS, "one filter at most", self.filters[1].parameter)
        for parameter in self.filters:
            keyword = KEYWORDS.get(self.noun, {}).get(parameter.parameter)
            if keyword is None:
                raise unexpected_parameter(parameter)
            attribute = self._attribute(keyword)
            if parameter.type == MQCFT.INTEGER_FILTER:
                text = number_text(self.noun, keyword, attribute, parameter.value, parameter.parameter)
            elif parameter.type == MQCFT.STRING_FILTER:
                text = self.given.text(parameter.value, parameter)
            else:
                text = parameter.value.hex().upper()
            self.keywords.append(("WHERE", condition(keyword, parameter, text), parameter))
        self.filters = []
        if self.request.shows:
            self._shown()

    def _shown(self) -> None:
        """The requested attributes, without numbers of other platforms and releases."""
        listed = self.left.pop(self.request.shows, None)
        wanted: dict[str, None] = {}
        if listed is not None:
            if listed.type not in (MQCFT.INTEGER_LIST, MQCFT.INTEGER):
                raise RequestError(MQRCCF.STRUCTURE_TYPE_ERROR, listed.name, listed.parameter)
            for number in listed.value if listed.type == MQCFT.INTEGER_LIST else [listed.value]:
                if number == MQIACF.ALL:
                    wanted = {}
                    break
                keyword = KEYWORDS.get(self.noun, {}).get(number)
                if keyword is not None:
                    wanted[keyword] = None
                elif parameter_name(number) == str(number):
                    raise RequestError(MQRCCF.CFIL_PARM_ID_ERROR, f"attribute {number}", listed.parameter)
        place = self.request.shows if listed is None else listed
        self.keywords += [(keyword, None, place) for keyword in wanted or (ALL,)]

    def _attributes(self) -> None:
        keywords = KEYWORDS.get(self.noun, {})
        for number in list(self.left):
            keyword = keywords.get(number)
            if keyword is not None:
                self._add(keyword, self.left.pop(number))

    # The command

    def _composed(self) -> TranslatedCommand:
        request, noun = self.request, self.noun
        text = f"{request.verb} {noun}"
        name_offset = len(text)
        if self.name is not None:
            text += f"({always_quoted(self.name)})"
        command = Command(Source(""), request.verb, noun, self.name, name_offset)
        translated = TranslatedCommand(command, request, repeated=self.repeated)
        if request.name:
            translated.places[name_offset] = request.name[0]
        for keyword, values, place in self.keywords:
            text += " "
            translated.places[len(text)] = place
            command.parameters.append(Keyword(keyword, values, [True] * len(values or ()), len(text)))
            text += keyword if values is None else f"{keyword}({_written(keyword, values)})"
            if keyword == "LIKE" and values:
                translated.like = values[0]
            translated.replace |= keyword == "REPLACE"
        command.source = Source(text)
        return translated


def _integer(parameter: Parameter) -> int:
    """The value of an integer parameter; an invalid number if it is of another type."""
    return int(parameter.value) if parameter.type == MQCFT.INTEGER else _NO_NUMBER


def _written(keyword: str, values: Sequence[str]) -> str:
    """Values in MQSC notation, for the log and command events."""
    if keyword == "WHERE":
        return f"{values[0]} {values[1]} {always_quoted(values[2])}"
    return ",".join(map(always_quoted, values))


def _switched(noun: str, keyword: str, kind: Switch, parameter: Parameter) -> str:
    word = words_of(noun, keyword).get(_integer(parameter))
    if word not in ("YES", "NO"):
        raise RequestError(MQRCCF.ATTR_VALUE_ERROR, f"{keyword} {parameter.value}", parameter.parameter)
    return kind.on if word == "YES" else kind.off


def number_text(noun: str, keyword: str, attribute: Attribute | None, number: int, parameter: int) -> str:
    """The MQSC word or number for a value. Raises `RequestError` if it is not valid."""
    kind = attribute.type if attribute is not None else None
    word = words_of(noun, keyword).get(number)
    if isinstance(kind, Integer):
        return word if word is not None and word in kind.words else str(number)
    if word is not None:
        return word
    if isinstance(kind, ApplicationType) or keyword not in WORDS.get(noun, {}):
        return str(number)
    raise RequestError(MQRCCF.ATTR_VALUE_ERROR, f"{keyword} has no value {number}", parameter)
