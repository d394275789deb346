"""``mqbridge run``: one queue manager in the foreground, from its configuration to its end."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import click

from mqbridge.bridge.config import ConfigError, Configuration, load_configuration, override
from mqbridge.bridge.program_name import program


@click.command("run")
@click.option(
    "--config",
    "file",
    envvar="MQBRIDGE_CONFIG",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Configuration (TOML). [env: MQBRIDGE_CONFIG]",
)
@click.option(
    "--data",
    envvar="MQBRIDGE_DATA",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of its messages and objects. [env: MQBRIDGE_DATA; default: ./mqbridge-data]",
)
@click.option("--qmgr", metavar="NAME", help="Name of the queue manager. [default: MQBRIDGE]")
@click.option("--store", metavar="lmdb|memory", help="What keeps the messages. [default: lmdb]")
@click.option(
    "--listen",
    multiple=True,
    metavar="ENDPOINT",
    help="Twisted endpoint for channels: tcp, tcp6, unix or systemd; may be repeated. "
    "[default: tcp:1414:interface=127.0.0.1]",
)
@click.option(
    "--mqsc",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="MQSC that runs at every start, after that of the configuration; may be repeated.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder in which every connection is recorded as pcap; passwords are masked.",
)
@click.option(
    "--ready-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Is written, as JSON, when everything accepts.",
)
@click.option(
    "--profile",
    type=click.IntRange(1, 3600),
    metavar="SECONDS",
    help="Look for so long where the time goes, and write it into the data folder; needs py-spy.",
)
@click.option(
    "--spin",
    type=click.IntRange(0, 10_000),
    default=0,
    metavar="MICROSECONDS",
    help="Poll for so long before sleeping while messages flow: answers come sooner, a processor is kept busy. "
    "[default: 0]",
)
def command(
    file: Path | None,
    data: Path | None,
    qmgr: str | None,
    store: str | None,
    listen: tuple[str, ...],
    mqsc: tuple[Path, ...],
    record: Path | None,
    ready_file: Path | None,
    profile: int | None,
    spin: int,
) -> None:
    """Run one queue manager in the foreground.

    SIGINT and SIGTERM end it in order, a second one at once. Status 0: it was stopped; 2: the configuration or an MQSC
    file is wrong; 3: it cannot start, because a port is in use, the folder is locked, or the store is damaged or newer;
    or it had to end, because nothing could be stored any more.
    """
    try:
        read = load_configuration(file) if file is not None else Configuration()
        configuration = override(read, name=qmgr, data=data, store=store, listeners=listen, mqsc=mqsc, record=record)
    except ConfigError as error:
        click.echo(f"mqbridge: {error}", err=True)
        sys.exit(2)
    sys.exit(_run(configuration, ready_file, profile, spin))


def _run(configuration: Configuration, ready_file: Path | None, seconds: int | None, spin: int) -> int:
    from mqbridge.bridge.endpoints.lean_reactor import cores, install_lean_reactor

    install_lean_reactor(spin / 1e6)
    from twisted.internet import reactor as installed
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

    from mqbridge.bridge.endpoints.clock import make_steady
    from mqbridge.bridge.endpoints.descriptor_guard import raise_limit
    from mqbridge.bridge.service.errors import StartError
    from mqbridge.bridge.service.garbage import exempt_from_collection
    from mqbridge.bridge.service.operator_log import OperatorLog
    from mqbridge.bridge.service.profiling import Profile
    from mqbridge.bridge.service.service import Service

    reactor: Any = installed
    make_steady(reactor)
    raise_limit()
    log = OperatorLog(sys.stderr, configuration.log.level, configuration.log.format)
    log.take_over_twisted()
    if spin and cores() == 1:
        log.write("AMQ5163", (spin,))
    try:
        profile = Profile(configuration.queue_manager.data, seconds, log.write) if seconds is not None else None
    except StartError as error:
        click.echo(f"mqbridge: {error}", err=True)
        return error.status
    service = Service(configuration, log, reactor, announce=_announce, ready_file=ready_file)
    status = 0
    early: list[str] = []

    def failed(failure: Failure) -> None:
        nonlocal status
        if failure.check(StartError):
            error: Any = failure.value
            click.echo(f"mqbridge: {error}", err=True)
            status = error.status
        else:
            failure.printTraceback(sys.stderr)
            status = 3
        reactor.stop()

    def ended(_: None) -> None:
        nonlocal status
        status = service.status
        if profile is not None:
            profile.end()
        reactor.stop()

    def started(_: None) -> None:
        service.ended.addCallback(ended)
        exempt_from_collection()
        _explain(configuration)
        if profile is not None:
            profile.start()
        if early:
            service.stop(early[0])

    def signalled(number: int) -> None:
        name = signal.Signals(number).name
        if service.started:
            service.stop(name)
        else:
            early.append(name)

    def begin() -> None:
        Deferred.fromCoroutine(service.start()).addCallbacks(started, failed)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: reactor.callFromThread(signalled, number))
    reactor.callWhenRunning(begin)
    reactor.run(installSignalHandlers=False)
    return status


def _announce(listener: Any) -> None:
    _say(f"listening on {listener.host}:{listener.port}" if listener.port else f"listening on {listener.host}")


def _explain(configuration: Configuration) -> None:
    """Print what is running, and what to type next."""
    manager = configuration.queue_manager
    data, name = shlex.quote(os.path.relpath(manager.data)), program()
    _say(
        f"queue manager {manager.name} is running, its data are in {data}; Ctrl-C ends it",
        "To try it, in another terminal, in this folder:",
        f"  export MQBRIDGE_DATA={data}",
        f"  {name} put DEV.QUEUE.1 'hello' --persistent",
        f"  {name} browse DEV.QUEUE.1",
        f"  {name} get DEV.QUEUE.1",
        f"  {name} mqsc -e 'DISPLAY QLOCAL(*) CURDEPTH'",
    )


def _say(*lines: str) -> None:
    """Print lines; a closed output does not end the queue manager."""
    with contextlib.suppress(OSError):
        click.echo("\n".join(lines))
        sys.stdout.flush()
