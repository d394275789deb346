"""A blocking client connection over a socket, plain or inside TLS."""

from __future__ import annotations

import os
import secrets
import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mqbridge.protocol.constants import MQCC, MQMODE, MQRC
from mqbridge.protocol.mqi_client import (
    Call,
    Calls,
    ClientConnection,
    ClientParameters,
    Closed,
    Connected,
    Event,
    Refused,
)

from .errors import MQError, error_for
from .process_user import user_of_process
from .sockets import open_socket
from .url import MQUrl

if TYPE_CHECKING:
    from mqbridge.bridge.security.tls import TlsConnection

DEFAULT_CONNECT_TIMEOUT: Final = 30.0
"""Seconds within which connection and sign-on must succeed."""
READ_SIZE: Final = 1 << 18
LONGEST_REST: Final = 30.0
"""Longest interval in seconds between checks of an unused socket."""
SHORTEST_REST: Final = 0.1
_DISCONNECT_TIMEOUT: Final = 5.0


def parameters_for(url: MQUrl, **values: Any) -> ClientParameters:
    """The client parameters for a URL."""
    parameters = ClientParameters(
        channel_name=url.channel,
        queue_manager=url.queue_manager,
        user=url.user,
        password=url.password,
        system_user=user_of_process(),
        secured=url.tls is not None,
        process_id=os.getpid() & 0xFFFFFFFF,
        nonce=secrets.token_bytes(12),
    )
    return replace(parameters, **values)


class ClientLink:
    """An established connection. Calls of several threads are serialised."""

    def __init__(self, url: MQUrl, parameters: ClientParameters, timeout: float = DEFAULT_CONNECT_TIMEOUT) -> None:
        self.url = url
        self.lock = threading.RLock()
        self.connected: Connected | None = None
        self._refusal = 0
        self.stopped = threading.Event()
        """Set when the connection ends, or has ended."""
        self._socket = open_socket(url, timeout)
        try:
            self._reading = select.poll()
            self._reading.register(self._socket, select.POLLIN)
            self.machine = ClientConnection(replace(parameters, handshake_timeout=timeout), time.monotonic())
            self._run(lambda: self.connected is not None)
        except BaseException:
            self._socket.close()
            raise

    # Calls

    def do(self, method: Callable[..., Call], *arguments: object) -> Call:
        """Make a call of the connection, ``method(calls, *arguments, now)``, and wait until it has completed, also if
        it fails.

        Raises `MQError` if the connection has ended.
        """
        with self.lock:
            machine = self.machine
            if machine.link.closed:
                raise self._gone()
            try:
                call = method(machine.calls, *arguments, time.monotonic())
                while not call.done:
                    self._step()
                if machine.link.wire.wants_to_send:
                    self._flush()  # a put without reply
            except Exception:
                raise
            except BaseException:
                # Interrupted in the midst of a call: its reply would be taken for that of the next one.
                self.abort()
                raise
            if machine.ended and call.comp_code == MQCC.FAILED:
                raise self._gone()
            return call

    def _flush(self) -> None:
        try:
            self._send()
        except OSError as error:
            self._take(self.machine.link.receive_eof(time.monotonic(), str(error)))
            raise self._gone() from error
        if self.machine.link.closed:
            raise self._gone()

    def _run(self, reached: Callable[[], bool]) -> None:
        while not reached():
            self._step()
            if self.machine.link.closed and not reached():
                raise self._gone()

    def _step(self) -> None:
        """Send waiting bytes, then wait for received bytes or the next deadline."""
        machine = self.machine
        try:
            if machine.link.wire.wants_to_send:
                self._send()
            if machine.link.closed:
                return
            due = machine.link.next_timeout()
            if not self._reading.poll(None if due is None else max(0.0, due - time.monotonic()) * 1000 + 1):
                self._take(machine.link.timeout(time.monotonic()))
                return
            data = self._socket.recv(READ_SIZE)
        except BlockingIOError:
            return
        except OSError as error:
            self._take(machine.link.receive_eof(time.monotonic(), str(error)))
            return
        now = time.monotonic()
        self._take(machine.link.receive_data(data, now) if data else machine.link.receive_eof(now))

    def _send(self) -> None:
        """Send waiting bytes, processing what is received meanwhile. Raises ``OSError``."""
        machine, connection = self.machine, self._socket
        while pieces := machine.link.wire.take():
            data = memoryview(b"".join(pieces))
            while data:
                try:
                    sent = connection.send(data)
                    data = data[sent:]
                except BlockingIOError:
                    self._wait_to_send()

    def _wait_to_send(self) -> None:
        """Wait until the socket takes more. Raises ``TimeoutError`` if it does not."""
        machine = self.machine
        both = select.poll()
        both.register(self._socket, select.POLLIN | select.POLLOUT)
        found = both.poll(machine.parameters.reply_timeout * 1000)
        if not found:
            raise TimeoutError("the queue manager takes no data")
        if found[0][1] & select.POLLIN:
            try:
                data = self._socket.recv(READ_SIZE)
            except BlockingIOError:  # a part of a record of TLS
                return
            now = time.monotonic()
            self._take(machine.link.receive_data(data, now) if data else machine.link.receive_eof(now))
            if machine.link.closed:
                raise ConnectionResetError(self._why)

    def _take(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Call):
                continue
            if isinstance(event, Connected):
                self.connected = event
            elif isinstance(event, Refused):
                self._refusal = event.reason
            elif isinstance(event, Closed):
                self._close(event)

    def _gone(self) -> MQError:
        machine = self.machine
        where = f"{self.url.host}({self.url.port}), channel {self.url.channel}"
        if self._refusal:
            return error_for(self._refusal, f"{self.url.queue_manager or 'any queue manager'} at {where}")
        if self.connected is None and (failure := getattr(self._socket, "failure", None)) is not None:
            return error_for(
                failure.reason, f"{failure} at {where}"
            )  # TLS 1.3 refuses certificates after the handshake
        return error_for(machine.ended or MQRC.CONNECTION_BROKEN, f"{self._why} at {where}")

    _why = "the connection ended"

    @property
    def tls(self) -> TlsConnection | None:
        """What TLS agreed; None for a plain connection."""
        return getattr(self._socket, "agreed", None)

    # While nobody calls

    @property
    def rest(self) -> float | None:
        """Seconds after which :meth:`look` is due while nobody calls; None if it is not needed."""
        agreed = self.machine.agreed
        if agreed is None or not agreed.shared or not agreed.heartbeat_interval:
            return None
        return max(SHORTEST_REST, min(LONGEST_REST, agreed.heartbeat_interval / 4))

    def look(self) -> None:
        """Answer heartbeats and notice the end of the connection, unless a call is in progress."""
        if not self.lock.acquire(blocking=False):
            return
        try:
            self._look()
        finally:
            self.lock.release()

    def _look(self) -> None:
        machine = self.machine
        if machine.link.closed:
            return
        while not machine.link.closed and self._reading.poll(0):
            self._step()
        due = machine.link.next_timeout()
        if due is not None and due <= time.monotonic():
            self._take(machine.link.timeout(time.monotonic()))
        with suppress(OSError):
            self._send()

    # The end

    @property
    def closed(self) -> bool:
        """Whether the connection has ended."""
        return self.machine.link.closed

    def disconnect(self) -> Call | None:
        """MQDISC, which commits; then close the socket. None if the connection had ended before."""
        with self.lock:
            self.stopped.set()
            if self.machine.link.closed:
                return None
            try:
                return self.do(Calls.disconnect)
            finally:
                self.abort()

    def abort(self) -> None:
        """Close the socket without MQDISC: uncommitted work is backed out."""
        self.stopped.set()
        if not self.machine.link.closed:
            self._take(self.machine.link.close(MQMODE.FORCE, time.monotonic()))
        self._shut()

    def _close(self, event: Closed) -> None:
        self.stopped.set()
        self._why = event.reason
        with suppress(OSError):
            self._socket.settimeout(_DISCONNECT_TIMEOUT)
            for pieces in iter(self.machine.link.wire.take, []):
                self._socket.sendall(b"".join(pieces))
        self._shut()

    def _shut(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # a thread that waits for a reply wakes up
        with suppress(OSError):
            self._socket.close()
