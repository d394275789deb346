"""Properties JMS_IBM_…, from fields of the descriptor and back (jms-mapping.md 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mqbridge.mappings.descriptor import Descriptor
from mqbridge.mappings.destinations import Destination, MessageContext
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQFB, MQMF, MQRO
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.structures import MD

from .charsets import ccsid_of, charset_name
from .errors import JmsFormatError
from .front import Fields, Front, Scalar, field_text, texts_of
from .typed import Typed

PREFIX: Final = "JMS_IBM_"
DESCRIPTOR: Final = PREFIX + "MQMD_"

_EXCEPTION: Final = int(MQRO.EXCEPTION_WITH_FULL_DATA)
_EXPIRATION: Final = int(MQRO.EXPIRATION_WITH_FULL_DATA)
_COA: Final = int(MQRO.COA_WITH_FULL_DATA)
_COD: Final = int(MQRO.COD_WITH_FULL_DATA)
REPORTS: Final[dict[str, int]] = {
    "JMS_IBM_Report_Exception": _EXCEPTION,
    "JMS_IBM_Report_Expiration": _EXPIRATION,
    "JMS_IBM_Report_COA": _COA,
    "JMS_IBM_Report_COD": _COD,
    "JMS_IBM_Report_PAN": int(MQRO.PAN),
    "JMS_IBM_Report_NAN": int(MQRO.NAN),
    "JMS_IBM_Report_Pass_Msg_ID": int(MQRO.PASS_MSG_ID),
    "JMS_IBM_Report_Pass_Correl_ID": int(MQRO.PASS_CORREL_ID),
    "JMS_IBM_Report_Discard_Msg": int(MQRO.DISCARD_MSG),
}
"""Bits of Report that a property stands for."""
_LEVELS: Final[dict[str, frozenset[int]]] = {
    "JMS_IBM_Report_Exception": frozenset((MQRO.EXCEPTION, MQRO.EXCEPTION_WITH_DATA, _EXCEPTION)),
    "JMS_IBM_Report_Expiration": frozenset((MQRO.EXPIRATION, MQRO.EXPIRATION_WITH_DATA, _EXPIRATION)),
    "JMS_IBM_Report_COA": frozenset((MQRO.COA, MQRO.COA_WITH_DATA, _COA)),
    "JMS_IBM_Report_COD": frozenset((MQRO.COD, MQRO.COD_WITH_DATA, _COD)),
}
"""Constants that a property can be; the others are their bit alone."""

_SETTABLE: Final[dict[str, str]] = {
    **dict.fromkeys(REPORTS, "i4"),
    "JMS_IBM_MsgType": "i4",
    "JMS_IBM_Feedback": "i4",
    "JMS_IBM_Format": "string",
    "JMS_IBM_Encoding": "i4",
    "JMS_IBM_Character_Set": "string",
    "JMS_IBM_Last_Msg_In_Group": "boolean",
    "JMS_IBM_ArmCorrelator": "string",
    "JMS_IBM_RMCorrelator": "string",
    "JMS_IBM_Retain": "i4",
}
_RECEIVED: Final[dict[str, str]] = {
    "JMS_IBM_PutApplType": "i4",
    "JMS_IBM_PutDate": "string",
    "JMS_IBM_PutTime": "string",
    "JMS_IBM_ConnectionID": "string",
    "JMS_IBM_SubscriptionUserData": "string",
    "JMS_IBM_ExceptionMessage": "string",
    "JMS_IBM_ExceptionReason": "i4",
    "JMS_IBM_ExceptionTimestamp": "i8",
    "JMS_IBM_ExceptionProblemDestination": "string",
    "JMS_IBM_System_MessageID": "string",
}
"""Properties that a program may set to no effect."""
_OF_DESCRIPTOR: Final[dict[str, tuple[str, str]]] = {
    DESCRIPTOR + slot.field.name: (
        slot.field.key,
        "i4" if slot.length is None else "string" if slot.field.kind == "char" else "bin.hex",
    )
    for slot in MD.slots
    if slot.field.name not in ("StrucId", "Version")
}
_IDENTITY: Final = frozenset(("user_identifier", "accounting_token", "appl_identity_data"))
_ORIGIN: Final = frozenset(("put_appl_type", "put_appl_name", "put_date", "put_time", "appl_origin_data"))
_READ_ONLY: Final = frozenset(("backout_count",))


def check_provider_property(name: str, value: Typed) -> None:
    """Raise `JmsFormatError` for a name of JMS_IBM_… that there is not, and for a value that it cannot have."""
    dt = _SETTABLE.get(name) or _RECEIVED.get(name)
    if dt is None:
        known = _OF_DESCRIPTOR.get(name)
        if known is None:
            raise JmsFormatError(f"there is no property {name[:60]}")
        dt = known[1]
    if value.dt != dt:
        raise JmsFormatError(f"{name} is {dt}, not {value.dt}")
    levels = _LEVELS.get(name)
    number = value.value
    if levels is not None and number not in levels:
        raise JmsFormatError(f"{name} cannot be {number!r}")
    if name in REPORTS and levels is None and number != REPORTS[name]:
        raise JmsFormatError(f"{name} can be {REPORTS[name]} alone, not {number!r}")
    if name == "JMS_IBM_Character_Set" and isinstance(number, str):
        ccsid_of(number)


def received_properties(
    message: Message, fields: Fields, front: Front, destination: Destination | None
) -> dict[str, Typed]:
    """Return what a message says as JMS_IBM_…; the whole descriptor where ``mdReadEnabled`` of the destination is set.

    Raises `JmsFormatError`.
    """
    ccsid = message.ccsid
    found = {
        "JMS_IBM_Character_Set": Typed(charset_name(front.ccsid, front.encoding), "string"),
        "JMS_IBM_Encoding": Typed(front.encoding, "i4"),
        "JMS_IBM_Format": Typed(front.format, "string"),
        "JMS_IBM_MsgType": Typed(fields.msg_type, "i4"),
        "JMS_IBM_PutApplType": Typed(fields.put_appl_type, "i4"),
        "JMS_IBM_PutDate": Typed(field_text(fields.put_date, ccsid), "string"),
        "JMS_IBM_PutTime": Typed(field_text(fields.put_time, ccsid), "string"),
    }
    if fields.feedback != MQFB.NONE:
        found["JMS_IBM_Feedback"] = Typed(fields.feedback, "i4")
    if fields.report:
        for name, bits in REPORTS.items():
            if fields.report & bits:
                found[name] = Typed(fields.report & bits, "i4")
    if fields.msg_flags & MQMF.LAST_MSG_IN_GROUP:
        found["JMS_IBM_Last_Msg_In_Group"] = Typed(True, "boolean")
    if front.folders:
        _in_folders(front, found)
    if destination is not None and destination.md_read_enabled:
        md = message.md
        for name, (key, dt) in _OF_DESCRIPTOR.items():
            found[name] = Typed(getattr(md, key), dt)
    return found


_IN_FOLDERS: Final = (
    ("mqext", "Arm", "JMS_IBM_ArmCorrelator"),
    ("mqext", "Wrm", "JMS_IBM_RMCorrelator"),
    ("mqps", "Sud", "JMS_IBM_SubscriptionUserData"),
    ("jms", "Uci", "JMS_IBM_ConnectionID"),
)


def _in_folders(front: Front, found: dict[str, Typed]) -> None:
    folders = front.folders
    texts: dict[str, dict[str, Scalar]] = {name: texts_of(folders.get(name)) for name in ("mqext", "mqps", "jms")}
    for folder, element, name in _IN_FOLDERS:
        text = texts[folder].get(element)
        if isinstance(text, str):
            found[name] = Typed(text, "string")
    if str(texts["mqps"].get("Ret")) in ("1", "True"):
        found["JMS_IBM_Retain"] = Typed(1, "i4")


def report_bits(properties: Mapping[str, Typed]) -> int:
    """Return Report."""
    bits = 0
    for name, value in properties.items():
        if name in REPORTS and isinstance(value.value, int):
            bits |= value.value
    return bits


def number_of(properties: Mapping[str, Typed], name: str, default: int) -> int:
    """Return an integer property."""
    value = properties.get(name)
    return value.value if value is not None and isinstance(value.value, int) else default


def text_property(properties: Mapping[str, Typed], name: str, default: str | None = None) -> str | None:
    """Return a text property."""
    value = properties.get(name)
    return value.value if value is not None and isinstance(value.value, str) else default


def wants_descriptor(properties: Mapping[str, Typed], destination: Destination) -> bool:
    """Return whether properties set the descriptor and the destination allows it (``mdWriteEnabled``)."""
    return bool(destination.md_write_enabled) and any(name.startswith(DESCRIPTOR) for name in properties)


def descriptor_values(properties: Mapping[str, Typed], destination: Destination) -> dict[str, Any]:
    """Return the fields of the descriptor that properties set, by key, as far as ``mdMessageContext`` lets them."""
    context = destination.md_message_context or MessageContext.DEFAULT
    allowed = {}
    for name, value in properties.items():
        if name not in _OF_DESCRIPTOR:
            continue
        key, _ = _OF_DESCRIPTOR[name]
        if key in _READ_ONLY or (key in _IDENTITY and context == MessageContext.DEFAULT):
            continue
        if key in _ORIGIN and context != MessageContext.SET_ALL:
            continue
        allowed[key] = value.value
    return allowed


def set_descriptor(md: Descriptor, values: Mapping[str, Any]) -> None:
    """Set fields of a descriptor. Raises `JmsFormatError` for what does not fit."""
    for key, value in values.items():
        try:
            setattr(md, key, value)
        except MQBridgeError as error:
            raise JmsFormatError(f"{DESCRIPTOR}…: {error}") from error
