"""``status`` and ``check``."""

from __future__ import annotations

import argparse

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind

from .files import add_file, open_offline


def arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    add_file(parser)
    if name == "check":
        parser.add_argument("address", metavar="QUEUE@QM", help="such as ORDERS@SATURN")


def run(name: str, arguments: argparse.Namespace) -> int:
    """Show it."""
    with open_offline(arguments) as device:
        if name == "check":
            print(device.view.route(arguments.address))
            return 0
        print(f"{device.name}  {arguments.file}")
        for row in device.view.depths():
            words = f"{row.messages} for {', '.join(row.entries)}" if row.entries else str(row.messages)
            shown = "" if row.kind is QueueKind.HOME_SERVER else f"  {words}"
            print(f"{row.kind.value:18} {row.address}{shown}")
    return 0
