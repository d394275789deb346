"""Listeners: those of the configuration and those of DEFINE LISTENER."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import maybeDeferred
from twisted.internet.endpoints import quoteStringArgument
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory
from twisted.python.failure import Failure

from mqbridge.bridge.agents.gateway.driver_interface import (
    MQRCCF,
    ControlError,
    Definition,
    Kind,
    Outcome,
    StatusRow,
    date_of,
)

from .accepted_sockets import read_by_ourselves
from .addresses import is_tcp
from .driver import Driver
from .first_bytes import FirstBytes
from .opening import open_endpoint, with_backlog


@dataclass(slots=True, eq=False)
class Listener:
    """An open port."""

    name: str
    """Name of the definition; blank for a listener of the configuration."""
    host: str
    """Its address; for a Unix socket ``unix:PATH``, and the port is 0."""
    port: int
    opened: float
    handle: Any

    def __str__(self) -> str:
        return self.host if _is_local(self) else f"{self.host}({self.port})"


class Listeners:
    """The open ports; each accepted connection is handed to the gateway."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.open: list[Listener] = []
        self._stopped: dict[str, Listener] = {}

    def listen(self, endpoint: str, name: str = "") -> Any:
        """Open a Twisted endpoint string. Returns a Deferred of the `Listener`, which fails if it cannot be opened."""
        driver = self._driver
        gateway = driver.gateway
        factory = Factory.forProtocol(lambda: FirstBytes(driver))
        factory.noisy = False

        def opened(port: Any) -> Listener:
            read_by_ourselves(port)
            address = port.getHost()
            host, number = (address.host, address.port) if is_tcp(address) else (f"unix:{os.fsdecode(address.name)}", 0)
            listener = Listener(name, host, number, driver.now(), port)
            self.open.append(listener)
            driver.descriptor_guard.ports.append(port)
            if not _is_local(listener):
                gateway.channel_manager.listening_addresses.listening(listener.host)
            return listener

        return open_endpoint(driver.reactor, with_backlog(endpoint), factory).addCallback(opened)

    @property
    def hosts(self) -> list[str]:
        """Addresses that are listened on, without Unix sockets."""
        return [each.host for each in self.open if not _is_local(each)]

    def close_all(self) -> None:
        """Close all ports; connections stay open."""
        for listener in self.open:
            self._close(listener)
        self.open.clear()

    def _close(self, listener: Listener) -> None:
        self._driver.descriptor_guard.ports.remove(listener.handle)
        listener.handle.stopListening()

    # LISTENER objects

    def start_listener(self, listener: Definition, now: float, outcome: Outcome) -> None:
        """START LISTENER."""
        if any(each.name == listener.name for each in self.open):
            raise ControlError(f"listener {listener.name} is active", amq="AMQ8730", reason=MQRCCF.LISTENER_RUNNING)
        self._driver.gateway.channel_manager.listening_addresses.require_users(listener.text("IPADDR"))
        endpoint = f"tcp:{listener.integer('PORT')}"
        if listener.text("IPADDR"):
            endpoint += f":interface={quoteStringArgument(listener.text('IPADDR'))}"

        def failed(failure: Failure) -> None:
            where = f"{listener.text('IPADDR') or 'any address'}, port {listener.integer('PORT')}"
            error = failure.value
            reason = error.socketError if isinstance(error, CannotListenError) else error
            outcome(
                ControlError(
                    f"listener {listener.name} cannot listen on {where}: {getattr(reason, 'strerror', None) or reason}",
                    amq="AMQ9218",
                )
            )

        maybeDeferred(self.listen, endpoint, listener.name).addCallbacks(lambda _: outcome(None), failed)

    def stop_listener(self, listener: Definition, now: float) -> None:
        """STOP LISTENER; connections that it has accepted stay open."""
        for each in self.open:
            if each.name == listener.name:
                self._close(each)
                self.open.remove(each)
                self._stopped[each.name] = each
                return
        raise ControlError(f"listener {listener.name} is not active", amq="AMQ8731", reason=MQRCCF.LISTENER_STOPPED)

    def listeners(self, now: float) -> list[StatusRow]:
        """Rows of DISPLAY LSSTATUS: open listeners, and closed ones that are still defined."""
        running = {each.name for each in self.open}
        self._stopped = {
            name: each for name, each in self._stopped.items() if name not in running and self._definition(name)
        }
        rows = [self._row(each, running=True) for each in self.open]
        return rows + [self._row(each, running=False) for each in self._stopped.values()]

    def _definition(self, name: str) -> Definition | None:
        return self._driver.gateway.manager.objects.find(Kind.LISTENER, name)

    def _row(self, listener: Listener, *, running: bool) -> StatusRow:
        stamp = time.gmtime(date_of(listener.opened))
        row: StatusRow = {
            "LISTENER": listener.name,
            "STATUS": "RUNNING" if running else "STOPPED",
            "PID": os.getpid() if running else 0,
            "TRPTYPE": "TCP",
            "PORT": listener.port,
            "IPADDR": listener.host,
            "STARTDA": time.strftime("%Y-%m-%d", stamp),
            "STARTTI": time.strftime("%H.%M.%S", stamp),
        }
        definition = self._definition(listener.name)
        if definition is not None:
            row |= {keyword: definition[keyword] for keyword in ("BACKLOG", "CONTROL", "DESCR")}
        return row


def _is_local(listener: Listener) -> bool:
    """Whether it is a Unix socket."""
    return listener.host.startswith("unix:")
