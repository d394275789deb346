"""Steps as the configuration has them: words (``"strip-rfh2"``) and tables (``{ set = "usr.seen", value = true }``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, NamedTuple

from mqbridge.mappings.properties.names import SYNONYMS
from mqbridge.mappings.properties.writing import SETTABLE_SYNONYMS
from mqbridge.protocol.errors import MQBridgeError

from .body_steps import Convert, Describe
from .descriptor_places import PREFIX, descriptor_place
from .errors import StepError
from .header_steps import ADDED, STRIPPED, StripHeaders, dead_letter_header, folders_to_add, header_to_add
from .jms_places import JMS_FIELDS, JmsPlace
from .jms_steps import become_jms
from .places import Place
from .property_places import PropertyPlace, property_place, set_property, typed_property
from .python_steps import python_function
from .step import AnyAction, Step
from .tree_places import is_tree_path, tree_place
from .value_steps import CopyValue, RemoveValue, SetValue, StripProperties

MAX_STEPS: Final = 100
"""Maximum number of steps of a route."""

Values = Mapping[str, object]


class _Verb(NamedTuple):
    """``keys``: the other keys that a table with this verb may have. ``build``: makes the action of a table."""

    build: Callable[[Values], AnyAction]
    keys: tuple[str, ...] = ()


def _place(path: object, verb: str) -> Place:
    if not isinstance(path, str) or not path:
        raise StepError(0, f'{verb} = "usr.name" is right, or the path of a field or element, not {path!r}')
    path = path.removeprefix("Root.")
    if path.startswith(PREFIX):
        return descriptor_place(path)
    if is_tree_path(path):
        return tree_place(path)
    if verb == "set" and path in SYNONYMS:
        if path in JMS_FIELDS:
            return JmsPlace(path)
        if path not in SETTABLE_SYNONYMS:
            raise StepError(0, f"{path} cannot be set; it follows from the put")
    return property_place(path, removed=verb == "remove")


def _set(table: Values) -> AnyAction:
    place = _place(table["set"], "set")
    kind = table.get("type")
    if kind is not None and not isinstance(kind, str):
        raise StepError(0, f'type = "i4" is right, not {kind!r}')
    if ("value" in table) == ("from" in table):
        raise StepError(0, 'set needs one of value and from: { set = "usr.seen", value = true }')
    if "from" in table:
        if kind is not None:
            raise StepError(0, "type goes with value, not with from")
        return CopyValue(place, _place(table["from"], "from"))
    if isinstance(place, PropertyPlace):
        return set_property(place, typed_property(place.name, table["value"], kind))
    return SetValue(place, place.constant(table["value"], kind))


def _remove(table: Values) -> AnyAction:
    return RemoveValue(_place(table["remove"], "remove"))


def _number(table: Values, key: str, least: int = 0) -> int | None:
    value = table.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= least):
        return value
    raise StepError(0, f"{key} is a whole number of {least} or more, not {value!r}")


def _inner(table: Values, verb: str, keys: tuple[str, ...], example: str) -> Values:
    """Return the table behind a verb, which has some of the keys."""
    inner = table[verb]
    if not isinstance(inner, Mapping) or not inner or any(key not in keys for key in inner):
        raise StepError(0, f"{example} is right, with some of {', '.join(keys)}")
    return inner


def _convert(table: Values) -> AnyAction:
    inner = _inner(table, "convert", ("ccsid", "encoding"), "{ convert = { ccsid = 1208, encoding = 546 } }")
    return Convert(_number(inner, "ccsid"), _number(inner, "encoding"))


def _describe(table: Values) -> AnyAction:
    example = '{ describe = { format = "MQSTR", ccsid = 1208, encoding = 546 } }'
    inner = _inner(table, "describe", ("format", "ccsid", "encoding"), example)
    name = inner.get("format")
    if name is not None and (not isinstance(name, str) or len(name) > _FORMAT_LENGTH or not name.isascii()):
        raise StepError(0, f"format is a name of up to {_FORMAT_LENGTH} characters, not {name!r}")
    return Describe(name, _number(inner, "ccsid", 1), _number(inner, "encoding"))


def _add(table: Values) -> AnyAction:
    name = table["add"]
    keys = {"rfh2": ("folders",), "dlh": ("reason", "queue", "queue_manager")} | dict.fromkeys(ADDED, ("fields",))
    if not isinstance(name, str) or name not in keys:
        raise StepError(0, f"headers that can be added are {', '.join(keys)}, not {name!r}")
    for key in table:
        if key not in ("add", *keys[name]):
            raise StepError(0, f"add = {name!r} has no key {key!r}; keys are {', '.join(keys[name])}")
    if name == "dlh":
        return dead_letter_header(_number(table, "reason", 1), table.get("queue", ""), table.get("queue_manager", ""))
    given = table.get(keys[name][0], {})
    if not isinstance(given, Mapping):
        raise StepError(0, f"{keys[name][0]} is a table in braces, not {given!r}")
    return folders_to_add(given) if name == "rfh2" else header_to_add(name, given)


def _jms(table: Values) -> AnyAction:
    return become_jms(table["jms"])


def _python(table: Values) -> AnyAction:
    return python_function(*(table[key] for key in ("python", "time_limit") if key in table))


_FORMAT_LENGTH: Final = 8
_STRIPPING: Final = (StripHeaders(), *map(StripHeaders, (*STRIPPED, "XQH")))
_WORDS: Final[dict[str, AnyAction]] = {
    **{each.shown: each for each in _STRIPPING},
    "strip-properties": StripProperties(),
}
_VERBS: Final[dict[str, _Verb]] = {
    "set": _Verb(_set, ("value", "from", "type")),
    "remove": _Verb(_remove),
    "add": _Verb(_add, ("folders", "fields", "reason", "queue", "queue_manager")),
    "describe": _Verb(_describe),
    "convert": _Verb(_convert),
    "jms": _Verb(_jms),
    "python": _Verb(_python, ("time_limit",)),
}


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
