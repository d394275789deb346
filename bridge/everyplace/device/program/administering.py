"""``admin``: an administration message to the own queue manager, and its reply (E-270)."""

from __future__ import annotations

import argparse
from typing import Final

from mqbridge.bridge.everyplace.administration.actions import ReturnCode
from mqbridge.bridge.everyplace.administration.requests import read_reply, write_request
from mqbridge.bridge.everyplace.administration.words import USAGE, Words
from mqbridge.bridge.everyplace.creation import StandardQueue
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import CORREL_ID

from .files import add_file, open_offline

WAIT: Final = 10.0
"""Seconds for the reply of the own queue manager."""


def arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    add_file(parser)
    parser.add_argument("words", metavar="WORD", nargs="+", help=USAGE)


def run(name: str, arguments: argparse.Namespace) -> int:
    """Have it done, and show the reply. Returns 1 if it was refused."""
    words = Words()
    with open_offline(arguments) as device:
        request = words.request(arguments.words, device.name)
        replies = Address(StandardQueue.ADMINISTRATION_REPLY.value, device.name)
        message = write_request(request, replies)
        message.correl_id = b"admin of the own queue manager"
        device.put(Address(StandardQueue.ADMINISTRATION.value, device.name), message)
        wanted = Fields()
        field = message.encoded(CORREL_ID)
        assert field is not None
        wanted.put_encoded(CORREL_ID, field)
        reply = read_reply(device.wait(replies, wanted, timeout=WAIT))
    print(words.text(reply))
    return 0 if reply.code is ReturnCode.SUCCESS else 1
