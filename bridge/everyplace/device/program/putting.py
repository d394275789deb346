"""``put``."""

from __future__ import annotations

import argparse
import sys

from mqbridge.bridge.everyplace.device.queue_manager import as_message
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .files import add_file, assignments, open_offline


def arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    add_file(parser)
    parser.add_argument("address", metavar="QUEUE[@QM]", help="where it goes, such as ORDERS@SATURN")
    parser.add_argument("text", metavar="TEXT", nargs="?", help="a text for MQ programs; standard input without it")
    parser.add_argument("--bytes", metavar="PATH", help="send the bytes of a file in place of a text")
    parser.add_argument(
        "--field", metavar="NAME=TEXT", action="append", default=[], help="send fields in place of a text"
    )
    parser.add_argument("--priority", type=int, choices=range(10), help="9 is the highest")
    parser.add_argument("--expires-after", metavar="SECONDS", type=float)
    parser.add_argument("--reply-to", metavar="QUEUE[@QM]")


def run(name: str, arguments: argparse.Namespace) -> int:
    """Put the message, and say what waits."""
    message = _message(arguments)
    with open_offline(arguments) as device:
        if arguments.priority is not None:
            message.priority = arguments.priority
        if arguments.expires_after is not None:
            message.expire_after(int(arguments.expires_after * 1000))
        if arguments.reply_to:
            message.reply_to = Address.parse(arguments.reply_to, device.name)
        address = Address.parse(arguments.address, device.name)
        uid = device.put(address, message)
        target = address.queue_manager
        waiting = 0 if target == device.name else device.view.waiting(target)
    print(f"{uid}  on disk; {waiting} waits for {target}" if waiting else f"{uid}  on disk")
    return 0


def _message(arguments: argparse.Namespace) -> Message:
    given = [bool(arguments.field), arguments.bytes is not None, arguments.text is not None]
    if sum(given) > 1:
        raise EveryplaceError(Code.SYNTAX, "give one of TEXT, --field and --bytes")
    if arguments.field:
        return as_message(assignments(arguments.field))
    if arguments.bytes is not None:
        try:
            with open(arguments.bytes, "rb") as file:
                return as_message(file.read())
        except OSError as error:
            raise EveryplaceError(Code.SYNTAX, f"{arguments.bytes}: {error.strerror}") from None
    return as_message(sys.stdin.read() if arguments.text is None else arguments.text)
