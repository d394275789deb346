"""Message properties: names, types and values, their folders in a message, and how they are written."""

from __future__ import annotations

from mqbridge.mappings.rfh2 import MAX_TAGS

from .folders import HEADERS_WITHIN, headers_of, property_bytes, read_properties, too_many_tags
from .names import MAX_NAME, PropertyNameError, check_name, check_selectable
from .property import Property, PropertyValueError, Value, check_value
from .removal import has_jms_properties, without_properties
from .view import PropertyLookUp, PropertyView

__all__ = [
    "HEADERS_WITHIN",
    "MAX_NAME",
    "MAX_TAGS",
    "Property",
    "PropertyLookUp",
    "PropertyNameError",
    "PropertyValueError",
    "PropertyView",
    "Value",
    "check_name",
    "check_selectable",
    "check_value",
    "has_jms_properties",
    "headers_of",
    "property_bytes",
    "read_properties",
    "too_many_tags",
    "without_properties",
]
