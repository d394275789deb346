"""``get``, ``browse`` and ``dump``."""

from __future__ import annotations

import argparse

from mqbridge.bridge.everyplace.device.queue_manager import QueueManager
from mqbridge.protocol.everyplace.errors import NoMatchingMessage

from .files import add_file, open_offline, pin_of
from .texts import content_of, whole_text_of


def arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    add_file(parser)
    where = "QUEUE[@QM]" if name == "dump" else "QUEUE"
    parser.add_argument("address", metavar=where, help="such as REPLIES")
    if name == "get":
        parser.add_argument("--all", action="store_true", help="all messages; without it one")
        parser.add_argument("--wait", metavar="SECONDS", type=float, help="connect, and wait for one that comes")


def run(name: str, arguments: argparse.Namespace) -> int:
    """Show messages. Returns 1 if there is none."""
    if name == "get":
        return _get(arguments)
    with open_offline(arguments) as device:
        if name == "browse":
            found = device.browse(arguments.address)
            for each in found:
                print(f"{each.uid}  {content_of(each)}")
        else:
            found = device.view.stored(arguments.address)
            for each in found:
                print(whole_text_of(each))
    return 0 if found else 1


def _get(arguments: argparse.Namespace) -> int:
    wait = arguments.wait
    with QueueManager.open(arguments.file, connect=wait is not None, pin=pin_of(arguments)) as device:
        message = device.get(arguments.address) if wait is None else device.wait(arguments.address, timeout=wait)
        print(content_of(message))
        try:
            while arguments.all:
                print(content_of(device.get(arguments.address)))
        except NoMatchingMessage:
            pass
    return 0
