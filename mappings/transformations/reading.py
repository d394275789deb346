"""Steps as the configuration has them: words (``"strip-rfh2"``) and tables (``{ set = "usr.seen", value = true }``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, NamedTuple

from mqbridge.mappings.properties import Property
from mqbridge.mappings.properties.names import check_name
from mqbridge.mappings.properties.property import check_value
from mqbridge.protocol.errors import MQBridgeError

from .errors import StepError
from .property_steps import SetProperty, StripProperties
from .python_steps import python_function
from .step import AnyAction, Step

MAX_STEPS: Final = 100
"""Maximum number of steps of a route."""

Values = Mapping[str, object]


class _Verb(NamedTuple):
    """``keys``: the other keys that a table with this verb may have. ``build``: makes the action of a table."""

    build: Callable[[Values], AnyAction]
    keys: tuple[str, ...] = ()


def _set(table: Values) -> AnyAction:
    name, value = table["set"], table.get("value")
    if not isinstance(name, str) or not isinstance(value, str | int | float | bool):
        raise StepError(0, '{ set = "usr.seen", value = true } is right: a name, and a string, number or boolean')
    given = Property.of(name.removeprefix("usr."), value)
    check_name(given.name)
    check_value(given)
    return SetProperty(given)


def _python(table: Values) -> AnyAction:
    return python_function(*(table[key] for key in ("python", "time_limit") if key in table))


_WORDS: Final[dict[str, AnyAction]] = {"strip-properties": StripProperties()}
_VERBS: Final[dict[str, _Verb]] = {"set": _Verb(_set, ("value",)), "python": _Verb(_python, ("time_limit",))}


def read_steps(items: Sequence[object]) -> tuple[Step, ...]:
    """Return the steps of a list from the configuration.

    Raises `StepError`, which says the number of the step and what would be right.
    """
    if isinstance(items, str) or not isinstance(items, Sequence):
        raise StepError(0, f"steps are a list, not {items!r}")
    if len(items) > MAX_STEPS:
        raise StepError(MAX_STEPS + 1, f"a route has {MAX_STEPS} steps at most")
    return tuple(Step(number, _read(number, item)) for number, item in enumerate(items, 1))


def _read(number: int, item: object) -> AnyAction:
    try:
        return _from_table(item) if isinstance(item, Mapping) else _from_word(item)
    except StepError as error:
        raise StepError(number, str(error)) from None
    except MQBridgeError as error:
        raise StepError(number, str(error)) from error


def _from_word(item: object) -> AnyAction:
    if not isinstance(item, str):
        raise StepError(0, f"a step is a word in quotes or a table in braces, not {item!r}")
    found = _WORDS.get(item)
    if found is None:
        raise StepError(0, f"{item!r} is no step{_hint(item, _WORDS)}")
    return found


def _from_table(table: Mapping[str, object]) -> AnyAction:
    verbs = [key for key in table if key in _VERBS]
    if len(verbs) != 1:
        raise StepError(0, f"a table has one of the keys {', '.join(_VERBS)}, not {', '.join(table) or 'none'}")
    verb = _VERBS[verbs[0]]
    for key in table:
        if key != verbs[0] and key not in verb.keys:
            known = f"; keys are {', '.join(verb.keys)}" if verb.keys else ""
            raise StepError(0, f"{verbs[0]} has no key {key!r}{known}")
    return verb.build(table)


def _hint(word: str, known: Mapping[str, object]) -> str:
    near = get_close_matches(word, known, 1)
    return f"; did you mean {near[0]!r}?" if near else f"; words are {', '.join(known)}"
