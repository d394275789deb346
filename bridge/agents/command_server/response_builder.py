"""PCF responses built from the reply to an MQSC command (mq-wire.md 5.16).

Each row of an inquiry is one message, the last one marked; a command without output has one response without
parameters; a refusal one with completion code, reason, and the parameter at fault.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mqbridge.bridge.agents.command_server.identifiers import IDENTIFIERS, LAST_INTEGER, LAST_TEXT, numbers_of
from mqbridge.bridge.agents.command_server.requests import CommandRequest
from mqbridge.bridge.agents.command_server.translation import TranslatedCommand
from mqbridge.bridge.queue_manager.mqsc import Cell, CommandReply, Row, nothing_found
from mqbridge.bridge.queue_manager.objects import is_generic
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import (
    MQBACF,
    MQCA,
    MQCACF,
    MQCACH,
    MQCC,
    MQCFC,
    MQCFT,
    MQCNO,
    MQIACF,
    MQIACH,
    MQOO,
    MQRC,
    MQRCCF,
)
from mqbridge.protocol.constants.attributes_character import character_length
from mqbridge.protocol.structures.pcf import (
    Parameter,
    byte_string_parameter,
    make_pcf,
    string_list_parameter,
    string_parameter,
)
from mqbridge.protocol.text import encode_text

_HIGHEST: Final = 2**31 - 1
_WORD: Final = 2**32
ERROR_PARAMETER: Final = int(MQIACF.PARAMETER_ID)
_FLAGS: Final = {"CONNOPTS": MQCNO, "OPENOPTS": MQOO}
_INSTANCES: Final = {"CURRENT": 1011, "SAVED": 1012}
"""Numbers of MQIACH_CHANNEL_INSTANCE_TYPE."""
_INSTANCE_TYPE: Final = int(MQIACH.CHANNEL_INSTANCE_TYPE)


class ResponseBuilder:
    """A builder of responses to one command in the queue manager's code page ``ccsid``."""

    def __init__(self, command: int, ccsid: int) -> None:
        self.command = command
        self.ccsid = ccsid

    # Whole replies

    def to(self, reply: CommandReply, translated: TranslatedCommand) -> Iterable[bytes]:
        """The responses for the reply to a translated command."""
        request, noun, name = translated.request, translated.command.noun, translated.command.name or ""
        none_found = reply.reason == nothing_found(noun)[1] and is_generic(name)
        if request.names and (reply.ok or none_found):
            return [self.message(self._names(reply.rows, noun, request))]
        if not reply.ok:
            return [self._failed(reply, translated)]
        rows = reply.rows
        if not rows:
            return [self.message(())]
        last = len(rows)
        repeated = [
            self._text(number, value) if isinstance(value, str) else Parameter(MQCFT.INTEGER, number, value)
            for number, value in translated.repeated.items()
        ]
        return (
            self.message([*repeated, *self.row(noun, row)], number, number == last)
            for number, row in enumerate(rows, 1)
        )

    def message(
        self,
        parameters: Iterable[Parameter],
        number: int = 1,
        last: bool = True,
        completion: int = MQCC.OK,
        reason: int = MQRC.NONE,
    ) -> bytes:
        """One response."""
        return make_pcf(
            NATIVE_ORDER,
            self.command,
            list(parameters),
            type=MQCFT.RESPONSE,
            msg_seq_number=number,
            control=MQCFC.LAST if last else MQCFC.NOT_LAST,
            comp_code=int(completion),
            reason=int(reason),
        ).build()

    def refusals(self, reason: int, parameter: int = 0) -> list[bytes]:
        """The one response to a command that is not valid."""
        return [self.refusal(reason, parameter)]

    def refusal(self, reason: int, parameter: int = 0) -> bytes:
        """The response to a command that was not run. ``parameter``: the one at fault, if any."""
        number = parameter - _WORD if parameter > _HIGHEST else parameter  # an id, signed in an MQCFIN as in any other
        faults = [Parameter(MQCFT.INTEGER, ERROR_PARAMETER, number)] if parameter else []
        return self.message(faults, completion=MQCC.FAILED, reason=reason)

    def _failed(self, reply: CommandReply, translated: TranslatedCommand) -> bytes:
        place = translated.places.get(reply.offset) if reply.offset >= 0 else None
        reason = reply.reason
        if isinstance(place, Parameter):
            if reason == MQRCCF.PARM_SYNTAX_ERROR:
                reason = _UNFITTING.get(MQCFT(place.type), MQRCCF.STRUCTURE_TYPE_ERROR)
            return self.refusal(reason, place.parameter)
        if place is not None and reason == MQRCCF.PARM_SYNTAX_ERROR:
            reason = MQRCCF.PARM_COUNT_TOO_SMALL
        return self.refusal(reason, place or 0)

    # Rows

    def row(self, noun: str, row: Row) -> list[Parameter]:
        """The parameters of a row, without cells that have no number, and blank ones that are not strings.

        Exit names are a list only if there are several.
        """
        identifiers = IDENTIFIERS.get(noun, {})
        found: list[Parameter] = []
        for keyword, cell in row.items():
            if keyword in _INSTANCES and noun == "CHSTATUS":
                found.append(Parameter(MQCFT.INTEGER, _INSTANCE_TYPE, _INSTANCES[keyword]))
                continue
            number = identifiers.get(keyword)
            if number is None:
                continue
            if number == MQBACF.CONNECTION_ID:
                found.append(byte_string_parameter(number, bytes.fromhex(row["EXTCONN"].text + cell.text)))
            elif (parameter := self._parameter(noun, keyword, int(number), cell)) is not None:
                found.append(parameter)
        return found

    def _parameter(self, noun: str, keyword: str, number: int, cell: Cell) -> Parameter | None:
        value = cell.value
        if number > LAST_TEXT:
            return byte_string_parameter(number, _bytes(str(value)))
        if number > LAST_INTEGER:
            if isinstance(value, tuple) and not (noun == "CHANNEL" and len(value) <= 1):
                return self._texts(number, value)
            return self._text(number, cell.text)
        if isinstance(value, tuple):
            if keyword in _FLAGS:
                family = _FLAGS[keyword]
                return Parameter(MQCFT.INTEGER, number, sum(int(family.from_text(name)) for name in value))
            words = numbers_of(noun, keyword)
            return Parameter(MQCFT.INTEGER_LIST, number, [words[word] for word in value])
        plain = integer_of(noun, keyword, cell)
        return None if plain is None else Parameter(MQCFT.INTEGER, number, plain)

    def _text(self, number: int, text: str) -> Parameter:
        data = self._encoded(text)
        if number <= MQCA.VERSION and number not in _VARIABLE:
            blank = self._encoded(" ")
            data += blank * ((character_length(number) - len(data)) // len(blank))
        return string_parameter(number, data, self.ccsid)

    def _texts(self, number: int, texts: tuple[str, ...]) -> Parameter:
        """A string list, each string as long as its field in MQ and always a multiple of 4 bytes, so that clients that
        step by StringLength and clients that step by the padded length find the same places."""
        data = [self._encoded(text) for text in texts]
        length = max((_list_length(number), *map(len, data)))
        length += -length % 4
        blank = self._encoded(" ")
        filled = [each + blank * ((length - len(each)) // len(blank)) for each in data]
        return string_list_parameter(number, filled, length, self.ccsid)

    def _encoded(self, text: str) -> bytes:
        return encode_text(text, self.ccsid, errors="replace")

    # Names alone

    def _names(self, rows: list[Row], noun: str, request: CommandRequest) -> list[Parameter]:
        """The names of all rows in one parameter, their types in another."""
        firsts = [next(iter(row.values())).text for row in rows]
        found = [self._texts(request.names, tuple(firsts))]
        if request.types:
            keyword = _TYPE_KEYWORDS[noun]
            words = numbers_of(noun, keyword)
            types = [words[row[keyword].text] for row in rows]
            found.append(Parameter(MQCFT.INTEGER_LIST, request.types, types))
        return found


def integer_of(noun: str, keyword: str, cell: Cell) -> int | None:
    """The number of a cell; None if it is blank or a word without number."""
    value = cell.value
    words = numbers_of(noun, keyword)
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return words.get(cell.text, value)
    word = str(value)
    if word in words:
        return words[word]
    return int(word) if word.lstrip("+-").isdecimal() else None


def _list_length(number: int) -> int:
    """Length in bytes of each string of a list; 0 if not fixed."""
    return character_length(number) if number <= MQCA.VERSION else _LIST_LENGTHS.get(number, 0)


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


_UNFITTING: Final = {
    MQCFT.INTEGER: MQRCCF.CFIN_PARM_ID_ERROR,
    MQCFT.STRING: MQRCCF.CFST_PARM_ID_ERROR,
    MQCFT.INTEGER_LIST: MQRCCF.CFIL_PARM_ID_ERROR,
    MQCFT.STRING_LIST: MQRCCF.CFSL_PARM_ID_ERROR,
    MQCFT.BYTE_STRING: MQRCCF.CFBS_PARM_ID_ERROR,
}
"""Reason for a parameter that this kind of object does not have, by its type."""
_LIST_LENGTHS: Final[dict[int, int]] = {
    **dict.fromkeys(
        (MQCACF.Q_NAMES, MQCACF.PROCESS_NAMES, MQCACF.NAMELIST_NAMES, MQCACF.AUTH_INFO_NAMES, MQCACF.TOPIC_NAMES), 48
    ),
    MQCACH.CHANNEL_NAMES: 20,
    **dict.fromkeys((MQCACH.MSG_EXIT_NAME, MQCACH.SEND_EXIT_NAME, MQCACH.RCV_EXIT_NAME), 128),
    **dict.fromkeys((MQCACH.MSG_EXIT_USER_DATA, MQCACH.SEND_EXIT_USER_DATA, MQCACH.RCV_EXIT_USER_DATA), 32),
    **dict.fromkeys((MQCACF.PRINCIPAL_ENTITY_NAMES, MQCACF.GROUP_ENTITY_NAMES), 1024),
}
"""Length in bytes of each string in lists of fixed length (MQ_Q_NAME_LENGTH, MQ_CHANNEL_NAME_LENGTH, …)."""
_TYPE_KEYWORDS: Final = {"QUEUE": "TYPE", "CHANNEL": "CHLTYPE", "AUTHINFO": "AUTHTYPE"}
_VARIABLE: Final = frozenset((MQCA.TOPIC_STRING,))
