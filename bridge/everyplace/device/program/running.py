"""``run`` and ``trigger``: connections at work."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from threading import Event
from typing import Final

from mqbridge.bridge.everyplace.device.queue_manager import QueueManager
from mqbridge.bridge.everyplace.effects import Alarm
from mqbridge.bridge.everyplace.network.settings import NetworkSettings

from .files import add_file, assignments, pin_of

QUIESCE: Final = 5.0
"""Seconds that what is under way may take at the end."""
_LOOK: Final = 0.1


def arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    add_file(parser)
    parser.add_argument(
        "--set",
        metavar="PROPERTY=VALUE",
        action="append",
        default=[],
        help="a property of adapters: proxy, user, authorities, certificate, key, http_version, clear_passwords; "
        "a password is better in the environment, as MQE_PASSWORD",
    )
    parser.add_argument("--ask", action="store_true", help="ask for user and password where HTTP wants them")
    if name == "trigger":
        parser.add_argument("--timeout", metavar="SECONDS", type=float, default=60.0, help="[60]")


def run(name: str, arguments: argparse.Namespace) -> int:
    """Connect until it is ended, or nothing waits."""
    ended = Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: ended.set())
    ask = _ask if arguments.ask else None
    properties = assignments(arguments.set)
    # To end when nothing is left, a pull that finds nothing is answered at once.
    settings = NetworkSettings(pull_wait=0.0) if name == "trigger" else NetworkSettings()
    manager = QueueManager.open(
        arguments.file, alarm=_alarm, ask=ask, properties=properties, network=settings, pin=pin_of(arguments)
    )
    try:
        if name == "trigger":
            return _until_sent(manager, arguments.timeout, ended)
        print(f"{manager.name} runs; Ctrl-C ends it", flush=True)
        while not ended.wait(3600):
            pass
        return 0
    finally:
        manager.close(quiesce=QUIESCE if name == "run" else 0.0)


def _until_sent(manager: QueueManager, timeout: float, ended: Event) -> int:
    """Send and pull everything. Returns 1 if something still waits after the time, or where the other end refuses who
    this is."""
    manager.trigger()
    until = time.monotonic() + timeout
    while not manager.idle and time.monotonic() < until and not ended.wait(_LOOK):
        pass
    found = [row for row in manager.status() if row.waiting or row.blocks]
    for row in found:
        what = f"{row.waiting} waits for {row.name}" if row.waiting else row.name
        print(": ".join([what, *row.blocks]), file=sys.stderr)
    return 1 if found else 0


def _alarm(alarm: Alarm) -> None:
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {alarm.name}: {alarm.text}", file=sys.stderr, flush=True)


def _ask(place: str) -> tuple[str, str] | None:
    """Ask a person (E-485)."""
    import getpass

    try:
        user = input(f"{place}: user (empty to cancel): ")
        return (user, getpass.getpass("password: ")) if user else None
    except EOFError:
        return None
