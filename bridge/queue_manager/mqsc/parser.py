"""Parser of commands: verb, object, name, parameters (channels.md 17.1 rules 1, 5, 6)."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from mqbridge.bridge.queue_manager.objects import ObjectError

from .lexer import MQSCSyntaxError, Source, Token, TokenKind, tokens
from .words import NAMELESS, NOUN_SYNONYMS, ONLY_ZOS, VERB_SYNONYMS, VERBS

MAX_VALUES = 4096
"""Most values between one pair of parentheses."""
EMPTY_LIST_ALLOWED = ("NAMES",)
"""Parameters for which ``( )`` is an empty list (rule 5: "unless noted")."""
EMPTY_TEXTS = ("NAMES", "TOPICSTR", "TPSTATUS")
"""Parameters for which ``('')`` is an empty text; for others it is a blank, like ``(' ')``."""

T = TypeVar("T")


@dataclass(slots=True)
class CommandParameter:
    """A keyword with the values in its parentheses, None without parentheses.

    `quoted`: for each value, whether it was in quotes. `offset`: of the keyword in the source.
    """

    keyword: str
    values: list[str] | None
    quoted: list[bool]
    offset: int


@dataclass(slots=True)
class Command:
    """One command: ``verb noun(name) parameters``.

    `name` is None where none was given. Handlers take the parameters they know with `take`, `flag`, `one`, `word`,
    `number`, and end with `finish`, which refuses the rest.
    """

    source: Source
    verb: str
    noun: str
    name: str | None
    name_offset: int
    parameters: list[CommandParameter] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The command on one line."""
        return self.source.text

    def error(self, offset: int, expected: str, found: str = "", *, reason: int | None = None) -> MQSCSyntaxError:
        """A syntax error at an offset of the source."""
        return self.source.error(offset, expected, found, reason=reason)

    def required_name(self, what: str) -> str:
        """The name in parentheses after the noun. Raises `MQSCSyntaxError` if it is missing."""
        if self.name is None:
            raise self.error(self.name_offset, f"({what}) after {self.noun}")
        return self.name

    def take(self, *keywords: str) -> CommandParameter | None:
        """Remove and return the parameter with one of these keywords. Raises `MQSCSyntaxError` if there are two."""
        found = [parameter for parameter in self.parameters if parameter.keyword in keywords]
        if len(found) > 1:
            raise self.error(found[1].offset, f"only one of {', '.join(keywords)}", f"'{found[1].keyword}'")
        for parameter in found:
            self.parameters.remove(parameter)
        return found[0] if found else None

    def flag(self, keyword: str) -> bool:
        """Take a keyword without a value. Raises `MQSCSyntaxError` if it has one."""
        parameter = self.take(keyword)
        if parameter is not None and parameter.values is not None:
            raise self.error(parameter.offset, f"{keyword} without a value")
        return parameter is not None

    def one(self, keyword: str) -> str | None:
        """Take a parameter with exactly one value; None if it is not given."""
        parameter = self.take(keyword)
        return None if parameter is None else self.value_of(parameter)

    def value_of(self, parameter: CommandParameter) -> str:
        """The only value of a parameter. Raises `MQSCSyntaxError` unless there is exactly one."""
        if parameter.values is None or len(parameter.values) != 1:
            raise self.error(parameter.offset, f"one value in parentheses after {parameter.keyword}")
        return parameter.values[0]

    def several(self, keyword: str) -> list[str]:
        """Take a parameter with any number of values; empty if it is not given."""
        parameter = self.take(keyword)
        if parameter is None:
            return []
        if parameter.values is None:
            raise self.error(parameter.offset, f"values in parentheses after {keyword}")
        return parameter.values

    def word(self, keyword: str, choices: Sequence[str], default: str = "") -> str:
        """Take a parameter whose value is one of `choices`; `default` if it is not given."""
        parameter = self.take(keyword)
        if parameter is None:
            return default
        value = self.value_of(parameter).upper()
        if value not in choices:
            raise self.error(parameter.offset, f"{keyword} with one of {', '.join(choices)}", f"'{value}'")
        return value

    def number(self, keyword: str, low: int, high: int, default: int) -> int:
        """Take a parameter whose value is a number; `default` if it is not given."""
        parameter = self.take(keyword)
        if parameter is None:
            return default
        value = self.value_of(parameter)
        if not value.isdecimal() or len(value) > 18 or not low <= int(value) <= high:
            raise self.error(parameter.offset, f"{keyword} with a number from {low} to {high}", f"'{value}'")
        return int(value)

    def finish(self) -> None:
        """Raise `MQSCSyntaxError` if parameters are left."""
        for parameter in self.parameters:
            raise self.error(parameter.offset, f"a parameter of {self.verb} {self.noun}", f"'{parameter.keyword}'")

    def located(self, parameter: CommandParameter, action: Callable[[], T]) -> T:
        """Call `action`; its `ObjectError` becomes a syntax error at the parameter."""
        try:
            return action()
        except ObjectError as error:
            raise self.error(
                parameter.offset, f"a valid {parameter.keyword}: {error}", reason=int(error.reason)
            ) from error


def parse(given: str | Source) -> Command:
    """Parse one command. Raises `MQSCSyntaxError`."""
    source = given if isinstance(given, Source) else Source(given)
    return _Parser(source).command()


class _Parser:
    """A cursor over the tokens of one command."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokens(source)
        self.index = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def fail(self, expected: str) -> MQSCSyntaxError:
        return self.source.error(self.token.offset, expected, self.token.described())

    def command(self) -> Command:
        verb = self.known_word(VERB_SYNONYMS, list(VERBS), "a verb", ONLY_ZOS)
        nouns = VERBS[verb]
        noun_offset = self.token.offset
        allowed = {synonym: noun for synonym, noun in NOUN_SYNONYMS.items() if noun in nouns}
        noun = self.known_word(allowed, list(nouns), f"an object after {verb}", ONLY_ZOS.get(verb, ()))
        name: str | None = None
        name_offset = noun_offset + len(noun)
        if self.token.kind is TokenKind.OPEN:
            name_offset = self.token.offset
            values, _ = self.values(noun, blank="")
            if noun in NAMELESS or len(values) != 1 or (not values[0] and noun not in EMPTY_TEXTS):
                raise self.source.error(name_offset, f"{noun} without a name" if noun in NAMELESS else "one name")
            name = values[0]
        command = Command(self.source, verb, noun, name, name_offset)
        while self.token.kind is not TokenKind.END:
            self.parameter(command)
        return command

    def known_word(self, synonyms: dict[str, str], words: list[str], what: str, elsewhere: Container[str]) -> str:
        word = synonyms.get(self.token.text, self.token.text)
        if self.token.kind is not TokenKind.WORD or word not in words:
            found = self.token.described() + (", which only MQ for z/OS has" if word in elsewhere else "")
            raise self.source.error(self.token.offset, f"{what} ({', '.join(words)})", found)
        if not self.token.separated:
            raise self.fail("a blank before the word")
        self.index += 1
        return word

    def parameter(self, command: Command) -> None:
        token = self.token
        if token.kind is not TokenKind.WORD:
            raise self.fail("a parameter")
        if not token.separated:
            raise self.fail("a blank before the parameter")
        self.index += 1
        values: list[str] | None = None
        quoted: list[bool] = []
        if self.token.kind is TokenKind.OPEN:
            values, quoted = self.values(token.text)
        for other in command.parameters:
            if token.text in (other.keyword, "NO" + other.keyword) or "NO" + token.text == other.keyword:
                raise self.source.error(token.offset, f"{other.keyword} only once", f"'{token.text}'")
        command.parameters.append(CommandParameter(token.text, values, quoted, token.offset))

    def values(self, keyword: str, blank: str = " ") -> tuple[list[str], list[bool]]:
        """The values up to the closing parenthesis; ``blank`` stands for ``''``."""
        opening = self.token.offset
        self.index += 1
        values: list[str] = []
        quoted: list[bool] = []
        while self.token.kind in (TokenKind.WORD, TokenKind.TEXT):
            if values and not self.token.separated:
                raise self.fail("a blank or comma between two values")
            values.append(self.token.text or ("" if keyword in EMPTY_TEXTS else blank))
            quoted.append(self.token.kind is TokenKind.TEXT)
            self.index += 1
        if self.token.kind is not TokenKind.CLOSE:
            raise self.fail("')'")
        if not values and keyword not in EMPTY_LIST_ALLOWED:
            raise self.source.error(opening, "a value between the parentheses, ' ' for a blank one", "'()'")
        if len(values) > MAX_VALUES:
            raise self.source.error(opening, f"at most {MAX_VALUES} values")
        self.index += 1
        return values, quoted
