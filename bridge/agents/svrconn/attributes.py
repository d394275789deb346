"""MQINQ and MQSET of client programs."""

from __future__ import annotations

from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.attributes.inquire import InquiredAttributes
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.outcomes import Done
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQIA, MQRC
from mqbridge.protocol.constants.attributes_character import character_length
from mqbridge.protocol.mqi import Inquire, Set
from mqbridge.protocol.text import encode_text


def inquire(program: Hconn, call: Inquire, now: Time) -> None:
    """MQINQ."""
    request = requests.Inquire(
        program.next_tag(), call.handle, call.selectors, call.int_attr_count, call.char_attr_length
    )
    program.ask(call, request, _inquired, now)


def _inquired(program: Hconn, call: Inquire, found: InquiredAttributes, _now: Time) -> None:
    characters = found.packed(lambda text: encode_text(text, call.ccsid))
    # A client that states more room than its selectors fill looks for the characters behind all of it.
    integers = found.integers + [0] * (call.int_attr_count - len(found.integers))
    program.machine.replies.inquire(call, integers, characters, comp_code=found.completion, reason=found.reason)


def set_values(program: Hconn, call: Set, now: Time) -> None:
    """MQSET."""
    characters, at = [], 0
    for selector in call.selectors:
        if selector > MQIA.LAST:
            length = character_length(selector)
            if at + length > len(call.char_attrs):
                raise MQError(MQRC.CHAR_ATTR_LENGTH_ERROR, str(len(call.char_attrs)))
            characters.append(call.text(call.char_attrs[at : at + length]))
            at += length
    request = requests.Set(program.next_tag(), call.handle, call.selectors, call.int_attrs, tuple(characters))
    program.ask(call, request, _set, now)


def _set(program: Hconn, call: Set, outcome: Done, _now: Time) -> None:
    program.reply(call, outcome.reason)
