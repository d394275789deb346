"""Parsing PCF messages: header and parameters are checked, strings decoded (mq-wire.md 5.16)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.agents.command_server.errors import RequestError
from mqbridge.bridge.agents.command_server.identifiers import KEYWORDS, LAST_INTEGER, LAST_TEXT
from mqbridge.bridge.queue_manager.mqsc import secret_keywords
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCFC, MQCFT, MQFMT, MQRCCF
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.structures.pcf import CFH, Parameter, PCFMessage, parse_pcf, string_parameter
from mqbridge.protocol.text import decode_text

_COMMANDS: Final = (MQCFT.COMMAND, MQCFT.COMMAND_XR)
_VERSIONS: Final = (1, 2, 3)
_INTEGERS: Final = (MQCFT.INTEGER, MQCFT.INTEGER_LIST)
_TEXTS: Final = (MQCFT.STRING, MQCFT.STRING_LIST)
FILTERS: Final = (MQCFT.INTEGER_FILTER, MQCFT.STRING_FILTER, MQCFT.BYTE_STRING_FILTER)

_UNKNOWN: Final = {
    MQCFT.INTEGER: MQRCCF.CFIN_PARM_ID_ERROR,
    MQCFT.STRING: MQRCCF.CFST_PARM_ID_ERROR,
    MQCFT.INTEGER_LIST: MQRCCF.CFIL_PARM_ID_ERROR,
    MQCFT.STRING_LIST: MQRCCF.CFSL_PARM_ID_ERROR,
    MQCFT.BYTE_STRING: MQRCCF.CFBS_PARM_ID_ERROR,
    MQCFT.INTEGER_FILTER: MQRCCF.CFIF_PARM_ID_ERROR,
    MQCFT.STRING_FILTER: MQRCCF.CFSF_PARM_ID_ERROR,
    MQCFT.BYTE_STRING_FILTER: MQRCCF.CFBF_PARM_ID_ERROR,
    MQCFT.GROUP: MQRCCF.CFGR_PARM_ID_ERROR,
}
_DUPLICATE: Final = {
    MQCFT.INTEGER: MQRCCF.CFIN_DUPLICATE_PARM,
    MQCFT.STRING: MQRCCF.CFST_DUPLICATE_PARM,
    MQCFT.STRING_LIST: MQRCCF.CFSL_DUPLICATE_PARM,
    MQCFT.BYTE_STRING: MQRCCF.CFBS_DUPLICATE_PARM,
}


@dataclass(slots=True)
class ReceivedCommand:
    """A PCF command as received: its number, its parameters, and the CCSID of strings that state none."""

    command: int
    parameters: list[Parameter]
    ccsid: int

    def text(self, raw: bytes, parameter: Parameter) -> str:
        """Decode a string, without trailing blanks and NULs. Raises `RequestError` if its code page cannot."""
        ccsid = parameter.ccsid if parameter.ccsid > 0 else self.ccsid
        try:
            return decode_text(raw, ccsid).partition("\0")[0].rstrip(" ")
        except ConversionError as error:
            raise RequestError(MQRCCF.CCSID_ERROR, str(error), parameter.parameter) from error

    def texts(self, parameter: Parameter) -> list[str]:
        """The strings of a parameter that holds one or several."""
        values = parameter.value if parameter.type == MQCFT.STRING_LIST else [parameter.value]
        return [self.text(value, parameter) for value in values]

    def one_text(self, parameter: Parameter) -> str:
        """The string of a parameter, the first of several. Raises `RequestError` if there is none."""
        found = self.texts(parameter)
        if not found:
            raise RequestError(MQRCCF.CFSL_COUNT_ERROR, f"{parameter.name} is a list of nothing", parameter.parameter)
        return found[0]


def parse_command(message: Message, ccsid: int) -> ReceivedCommand:
    """Parse a message of format MQADMIN. ``ccsid``: of the queue manager. Raises `RequestError`."""
    md = message.md
    if md.format != MQFMT.ADMIN:
        raise RequestError(MQRCCF.MD_FORMAT_ERROR, f"format '{md.format}'")
    order = order_of(md.encoding)
    if order is None:
        raise RequestError(MQRCCF.ENCODING_ERROR, f"encoding {md.encoding}")
    data = message.data
    if len(data) < CFH.size:
        raise RequestError(MQRCCF.CFH_LENGTH_ERROR, f"{len(data)} bytes")
    _check_header(CFH.codec(order).parse(data, 0))
    try:
        found = parse_pcf(data, 0, order)
    except StructureError as error:
        raise RequestError(MQRCCF.MSG_LENGTH_ERROR, str(error)) from error
    if found.rest:
        raise RequestError(MQRCCF.MSG_LENGTH_ERROR, f"{len(found.rest)} bytes behind the last parameter")
    _check_duplicates(found)
    own = md.coded_char_set_id
    return ReceivedCommand(found.record.command, found.parameters, own if own > 0 else ccsid)


def command_of(message: Message) -> int:
    """The command number of a message; 0 if it cannot be read."""
    order = order_of(message.md.encoding)
    data = message.data
    if order is None or len(data) < CFH.size:
        return 0
    return int(CFH.codec(order).parse(data, 0).command)


def _check_header(header: object) -> None:
    values = {name: int(getattr(header, name)) for name in ("type", "version", "msg_seq_number", "control")}
    if values["type"] not in _COMMANDS:
        raise RequestError(MQRCCF.CFH_TYPE_ERROR, f"type {values['type']}")
    if getattr(header, "struc_length", 0) != CFH.size:
        raise RequestError(MQRCCF.CFH_LENGTH_ERROR, "the header has 36 bytes")
    if values["version"] not in _VERSIONS:
        raise RequestError(MQRCCF.CFH_VERSION_ERROR, f"version {values['version']}")
    if values["msg_seq_number"] != 1:
        raise RequestError(MQRCCF.CFH_MSG_SEQ_NUMBER_ERR, f"number {values['msg_seq_number']}")
    if values["control"] != MQCFC.LAST:
        raise RequestError(MQRCCF.CFH_CONTROL_ERROR, f"control {values['control']}")


def _check_duplicates(found: PCFMessage) -> None:
    seen: set[int] = set()
    for parameter in found.parameters:
        if parameter.type in FILTERS:
            continue
        if parameter.parameter in seen:
            reason = _DUPLICATE.get(MQCFT(parameter.type), MQRCCF.CFIN_DUPLICATE_PARM)
            raise RequestError(reason, f"{parameter.name} twice", parameter.parameter)
        seen.add(parameter.parameter)


def without_secret(noun: str, parameter: Parameter) -> Parameter:
    """A parameter as command events show it: passwords are replaced by asterisks."""
    if KEYWORDS.get(noun, {}).get(parameter.parameter) not in secret_keywords():
        return parameter
    return string_parameter(parameter.parameter, b"********")


def check_type(parameter: Parameter) -> None:
    """Raise `RequestError` for a structure of the wrong type for its parameter number."""
    number = parameter.parameter
    if number <= LAST_INTEGER:
        right = parameter.type in _INTEGERS
    elif number <= LAST_TEXT:
        right = parameter.type in _TEXTS
    else:
        right = parameter.type == MQCFT.BYTE_STRING
    if not right:
        raise RequestError(MQRCCF.STRUCTURE_TYPE_ERROR, f"{parameter.name} in type {parameter.type}", number)


def unexpected_parameter(parameter: Parameter) -> RequestError:
    """The error for a parameter that the command does not accept."""
    reason = _UNKNOWN.get(MQCFT(parameter.type), MQRCCF.STRUCTURE_TYPE_ERROR)
    return RequestError(reason, f"{parameter.name} is no parameter of this command", parameter.parameter)
