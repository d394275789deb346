"""Objects of the queue manager: attribute tables as data, definitions, and the registry that keeps them.

It follows channels.md 3, 12.1, 14 to 17 and mqi.md 4.1.
"""

from mqbridge.bridge.queue_manager.objects.default_objects import define_channel_user, define_supplied, is_supplied

from .attributes import Attribute, DisplayField, Numbers, Table
from .channel_attributes import CHANNEL_TYPES, KEEPALIVE_AUTO
from .definition import TABLE, Definition, date_and_time, from_record
from .errors import (
    AttributeMissing,
    AttributeUnknown,
    NameRefused,
    ObjectError,
    ObjectExists,
    ObjectMissing,
    ValueRefused,
    WrongType,
)
from .kinds import KINDS, QUEUE_KINDS, Kind, KindInfo, identity_of, space_of, subtype_of, table_of
from .manager_attributes import COMMAND_LEVEL, DEFAULT_CCSID, MAX_PRIORITY, VERSION
from .names import CHANNEL_NAME_LENGTH, NAME_LENGTH, check_name, is_generic, is_name, matches
from .queue_attributes import MAX_DEPTH, MAX_MESSAGE_LENGTH, NO_LIMIT
from .reasons import MQRCCF
from .registry import Change, Listener, Objects
from .rules import connection_names, expiry_cap, unsafe_attributes
from .selectors import attribute_of, inquire, selectors_of
from .values import Value, quoted

__all__ = [
    "CHANNEL_NAME_LENGTH",
    "CHANNEL_TYPES",
    "COMMAND_LEVEL",
    "DEFAULT_CCSID",
    "KEEPALIVE_AUTO",
    "KINDS",
    "MAX_DEPTH",
    "MAX_MESSAGE_LENGTH",
    "MAX_PRIORITY",
    "MQRCCF",
    "NAME_LENGTH",
    "NO_LIMIT",
    "QUEUE_KINDS",
    "TABLE",
    "VERSION",
    "Attribute",
    "AttributeMissing",
    "AttributeUnknown",
    "Change",
    "Definition",
    "DisplayField",
    "Kind",
    "KindInfo",
    "Listener",
    "NameRefused",
    "Numbers",
    "ObjectError",
    "ObjectExists",
    "ObjectMissing",
    "Objects",
    "Table",
    "Value",
    "ValueRefused",
    "WrongType",
    "attribute_of",
    "check_name",
    "connection_names",
    "date_and_time",
    "define_channel_user",
    "define_supplied",
    "expiry_cap",
    "from_record",
    "identity_of",
    "inquire",
    "is_generic",
    "is_name",
    "is_supplied",
    "matches",
    "quoted",
    "selectors_of",
    "space_of",
    "subtype_of",
    "table_of",
    "unsafe_attributes",
]
