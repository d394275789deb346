"""MQCMD_ESCAPE: MQSC text in a PCF message, with replies in text."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.agents.command_server.received_command import ReceivedCommand, check_type, unexpected_parameter
from mqbridge.bridge.agents.command_server.response_builder import ResponseBuilder
from mqbridge.bridge.queue_manager.mqsc import CommandReply, format_response
from mqbridge.protocol.constants import MQCACF, MQCC, MQCFT, MQIACF, MQRCCF
from mqbridge.protocol.structures.pcf import Parameter, string_parameter
from mqbridge.protocol.text import encode_text

from .errors import RequestError

MQSC: Final = 1
"""MQET_MQSC: the only type of escape."""


def escaped_text(given: ReceivedCommand) -> str:
    """The MQSC text of an escape command. Raises `RequestError`."""
    left = {each.parameter: each for each in given.parameters}
    kind, text = left.pop(MQIACF.ESCAPE_TYPE, None), left.pop(MQCACF.ESCAPE_TEXT, None)
    for parameter in left.values():
        raise unexpected_parameter(parameter)
    if kind is None or text is None:
        raise RequestError(MQRCCF.PARM_COUNT_TOO_SMALL, "ESCAPE_TYPE and ESCAPE_TEXT")
    check_type(kind)
    check_type(text)
    if kind.value != MQSC:
        raise RequestError(MQRCCF.ESCAPE_TYPE_ERROR, f"type {kind.value}", kind.parameter)
    return given.one_text(text)


def escape_answers(answers: ResponseBuilder, reply: CommandReply) -> list[bytes]:
    """Return a response for each message of the reply, with the lines that belong to it."""
    made = []
    last = len(reply.responses)
    for number, response in enumerate(reply.responses, 1):
        lines = format_response(response)
        text = encode_text("\n".join(lines), answers.ccsid, errors="replace")
        parameters = [
            Parameter(MQCFT.INTEGER, MQIACF.ESCAPE_TYPE, MQSC),
            string_parameter(MQCACF.ESCAPE_TEXT, text, answers.ccsid),
        ]
        completion, reason = (MQCC.OK, 0) if reply.ok else (MQCC.FAILED, reply.reason)
        made.append(answers.message(parameters, number, number == last, completion, reason))
    return made
