"""The values of a folder in the usual case: short and flat, each value of its type.

All else is for `folders`; a property test holds both equal.
"""

from __future__ import annotations

from mqbridge.mappings.rfh2.escaping import unescaped
from mqbridge.mappings.rfh2.flat import flat_attributes, flat_elements
from mqbridge.mappings.rfh2.folder import typed_value

from .folders import PROPERTY_FOLDERS, TYPES_OF_JMS
from .names import RESERVED_WORDS, USER_FOLDER
from .property import Value, single
from .quick_folders import MAX_HEADER


def quick_values(name: str, text: str) -> dict[str, Value] | None:
    """Return the values of a folder of properties by name; None if this is not the usual case."""
    if len(text) > MAX_HEADER or name not in PROPERTY_FOLDERS:
        return None
    elements = flat_elements(name, text)
    if elements is None:
        return None
    escaped = "&" in text
    implied = TYPES_OF_JMS if name == "jms" else None
    of_user = name == USER_FOLDER
    values: dict[str, Value] = {}
    try:
        for element, attributes, content in elements:
            if of_user and (element.startswith("JMS") or element.upper() in RESERVED_WORDS):
                continue
            plain = unescaped(content) if escaped else content
            value = typed_element(attributes, plain) if attributes else plain
            if implied is not None and element in implied and isinstance(value, str):
                value = int(value)
            values[element] = value
    except ValueError:
        return None
    return values


def typed_element(attributes: str, text: str) -> Value:
    """Return the value of an element by its attributes, as flat folders have them. Raises ``ValueError``."""
    kind, null = flat_attributes(attributes)
    if null:
        return None
    value = typed_value(kind, text) if kind else text
    if kind == "bin.hex":
        return bytes.fromhex(text)
    return single(value) if kind == "r4" and isinstance(value, float) else value
