"""``mqbridge record``: a proxy that writes what passes through it as a capture."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, Final

import click

from .host_port import host_and_port

CANNOT_START: Final = 3
WRONG: Final = 2
PATIENCE: Final = 0.3
"""Seconds for closing connections to finish when the recording ends."""


@click.command("record")
@click.option(
    "--listen", required=True, metavar="ENDPOINT", help="Twisted endpoint, such as tcp:1415:interface=127.0.0.1."
)
@click.option("--to", "target", required=True, metavar="HOST:PORT", help="Where connections are passed on to.")
@click.option(
    "--output",
    required=True,
    type=click.Path(),
    metavar="FILE.pcap",
    help="The capture; one that is there is overwritten. A folder, or a name that ends in /: several captures, a new "
    "one every 100 MiB or every hour.",
)
@click.option("--passwords", is_flag=True, help="Write passwords down as well. [default: overwritten with asterisks]")
def command(listen: str, target: str, output: str, passwords: bool) -> None:
    """Pass connections on to a queue manager and record what passes.

    The capture can be read while it grows, by mqbridge replay, mqbridge decode and Wireshark. SIGINT and SIGTERM end
    it. Status 0: it was stopped; 2: an option is wrong; 3: it cannot listen or write.
    """
    try:
        host, port = host_and_port(target)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--to") from error
    sys.exit(_run(listen, host, port, output, passwords))


def _run(listen: str, host: str, port: int, output: str, passwords: bool) -> int:
    from twisted.internet import reactor as installed
    from twisted.internet.task import LoopingCall
    from twisted.python.failure import Failure

    from mqbridge.bridge.config.settings import RecordSettings
    from mqbridge.bridge.endpoints.opening import open_endpoint
    from mqbridge.bridge.endpoints.proxy import RecordingProxy
    from mqbridge.captures.recording.capture_file import CaptureFile
    from mqbridge.captures.recording.capture_folder import CaptureFolder

    reactor: Any = installed
    status = 0
    port_open: Any = None

    def stop(code: int, text: str) -> None:
        nonlocal status
        status = code
        click.echo(f"mqbridge: {text}", err=True)
        reactor.stop()

    def cannot_write(error: OSError) -> None:
        stop(CANNOT_START, f"{output} cannot be written: {error.strerror or error}")

    def open_recording() -> CaptureFile | CaptureFolder:
        if not output.endswith(os.sep) and not os.path.isdir(output):
            return CaptureFile(Path(output), time.time(), passwords=passwords, failed=cannot_write)
        limits = RecordSettings()
        return CaptureFolder(
            Path(output),
            "record",
            file_size=limits.file_size,
            file_time=limits.file_time,
            keep=limits.keep,
            passwords=passwords,
            failed=cannot_write,
        )

    recording: CaptureFile | CaptureFolder | None = None
    proxy = RecordingProxy(
        reactor, host, port, None, time.time, lambda why: click.echo(f"{host}:{port}: {why}", err=True)
    )

    def opened(listening: Any) -> None:
        nonlocal port_open, recording
        port_open = listening
        try:  # not before: a capture that is there stays as it is where this one cannot begin
            recording = proxy.recording = opened_recording = open_recording()
        except OSError as error:
            cannot_write(error)
            return
        address = listening.getHost()
        here = f"{address.host}({address.port})" if hasattr(address, "port") else listen
        click.echo(f"Listening on {here}, passing on to {host}({port}), recording into {output}")
        sys.stdout.flush()
        LoopingCall(lambda: opened_recording.tick(time.time())).start(1.0)

    def failed(failure: Failure) -> None:
        error: Any = failure.value
        reason = getattr(error, "socketError", error)
        stop(CANNOT_START, f"cannot listen on {listen}: {getattr(reason, 'strerror', None) or reason}")

    def begin() -> None:
        try:
            open_endpoint(reactor, listen, proxy).addCallbacks(opened, failed)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            stop(WRONG, f"--listen {listen!r} is no endpoint: {error}")

    def end(until: float) -> None:
        """Connections that are being closed may finish; the others are open when the recording ends."""
        if proxy.open and time.monotonic() < until:
            reactor.callLater(0.01, end, until)
            return
        if recording is not None:
            recording.close()
        if reactor.running:
            reactor.stop()

    def signalled() -> None:
        if port_open is not None:
            port_open.stopListening()
        end(time.monotonic() + PATIENCE)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: reactor.callFromThread(signalled))
    reactor.callWhenRunning(begin)
    reactor.run(installSignalHandlers=False)
    if recording is not None:
        recording.close()
        click.echo(f"{proxy.passed} connection{'s' * (proxy.passed != 1)} recorded")
    return status
