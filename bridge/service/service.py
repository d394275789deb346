"""One queue manager assembled: store, rules, agents, sockets, admin endpoint; start and stop."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.logger import Logger

from mqbridge.bridge.agents.command_server import CommandServer
from mqbridge.bridge.agents.gateway.control import Control
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.config import Configuration
from mqbridge.bridge.endpoints.clock import SteadyClock
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.endpoints.listeners import Listener, Listeners
from mqbridge.bridge.endpoints.recording import RecordingTap
from mqbridge.bridge.endpoints.service_programs import STARTED_WITH_US, ServicePrograms
from mqbridge.bridge.inputs.http import DoorSettings
from mqbridge.bridge.queue_manager import MQError, QueueManager
from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.mqsc import Commands
from mqbridge.bridge.queue_manager.objects import TABLE, Definition, Kind
from mqbridge.bridge.service.discovery import RUNNING_FILE, remove, write_whole
from mqbridge.bridge.store.interface import PutRecord, StoreDamaged, StoreError
from mqbridge.mappings.moment import date_of
from mqbridge.protocol.constants import MQRQ

from .channel_keys import ChannelKeys
from .errors import CANNOT_START, StartError
from .expiry_watch import ExpiryWatch
from .links import Links
from .listening import check_endpoints, listen
from .opening import OpenedData, channel_limits, load_everyplace, load_myopenq, load_objects, load_plug_ins
from .operator_log import OperatorLog
from .partners import Partners
from .recording import recording_tap
from .rest_doors import RestDoor, RestDoors
from .routes import Routes
from .scripts import run_script
from .stopping import Stop
from .user_checks import open_users, require_users

if TYPE_CHECKING:
    from .everyplace import Everyplace
    from .myopenq import MyOpenQ

_SALTS: Final = 1 << 16
_log = Logger()


class Service:
    """The queue manager of a configuration on a reactor.

    ``announce`` is called for each configured listener once it accepts. `start` starts it, `stop` ends it in order,
    `force` at once; `ended` fires when everything is closed, and ``status`` is then the exit status.
    """

    def __init__(
        self,
        configuration: Configuration,
        log: OperatorLog,
        reactor: Any,
        *,
        announce: Callable[[Listener], None] = lambda _: None,
        ready_file: Path | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.configuration = configuration
        self.log = log
        self.ended: Deferred[None] = Deferred()
        self._reactor = reactor
        self._announce = announce
        self._ready_file = ready_file
        self._clock = clock if clock is not None else self._steady_clock()
        self._data: OpenedData | None = None
        self._driver: Driver | None = None
        self._listeners: Listeners | None = None
        self._programs: ServicePrograms | None = None
        self._doors: RestDoors | None = None
        self._recording: RecordingTap | None = None
        self._stop: Stop | None = None
        self._expiry_watch: ExpiryWatch | None = None
        self._routes: Routes | None = None
        self._links: Links | None = None
        self._partners: Partners | None = None
        self._everyplace: Everyplace | None = None
        self._myopenq: MyOpenQ | None = None
        self.started = False
        self.status = 0

    def _steady_clock(self) -> SteadyClock:
        clock = SteadyClock()
        clock.on_set = lambda seconds: self.log.write("AMQ5043", (round(seconds),))
        return clock

    # Start

    async def start(self) -> None:
        """Start everything. Raises `StartError`, after closing everything again."""
        try:
            await self._start()
        except BaseException:
            await self._close()
            raise

    async def _start(self) -> None:
        settings = self.configuration
        name, now = settings.queue_manager.name, self._clock()
        web = [] if settings.web.endpoint is None else [settings.web.endpoint]
        check_endpoints(*(each.endpoint for each in settings.listeners), settings.admin_endpoint, *web)
        formats = load_plug_ins()
        self._routes = Routes(settings, self._reactor, self.log.write)
        self._links = Links(settings)
        self._partners = Partners(settings)
        self._everyplace = load_everyplace(settings)
        self._myopenq = load_myopenq(settings)
        self._data = OpenedData(settings)
        store = self._data.store
        if (note := store.take_note()) is not None:
            self.log.write("AMQ7473", (os.path.normpath(settings.queue_manager.data), note))
        objects, new = load_objects(store, name, now)
        try:
            manager = QueueManager(name, store, objects, now, formats)
            gateway = Gateway(manager, store, channel_limits(settings), now, salt=secrets.randbelow(_SALTS))
            self._links.make(gateway)
            self._partners.make(gateway)
            if self._myopenq is not None:
                self._myopenq.make(gateway)
        except StoreDamaged as error:
            raise StartError(f"the store is damaged: {error}") from error
        open_users(settings, manager.security)
        gateway.triggering = False  # scripts may alter channels, or start them themselves
        self._driver = driver = Driver(self._reactor, gateway, store, self.log.write, self._clock)
        self._recording = recording_tap(settings, self._reactor, lambda: date_of(self._clock()), self.log.write)
        driver.tap = self._recording or driver.tap
        driver.store_failed = self._store_failed
        keys = self._open_keys(manager, driver)
        self._listeners = Listeners(driver)
        if settings.services.enabled:
            self._programs = ServicePrograms(driver, settings.queue_manager.data.absolute())
        commands = Commands(manager, Control(gateway.channel_manager, self._listeners, self._programs, keys), now)
        driver.start()
        if new:
            await self._supply(manager, driver, new)
        manager.events.active(self._clock())
        for script in settings.queue_manager.mqsc:
            await run_script(script, commands, self._clock, driver.pump, self.log.write)
        keys.follow()  # scripts may have named another key repository
        await self._routes.open(gateway, driver, self._open_for_input)
        self._links.open(gateway, driver, lambda: keys.repository)
        self._start_command_server(manager, gateway, commands)
        await self._open_listeners(manager)
        await self._partners.open(gateway, driver, lambda: keys.repository, listen)
        if self._everyplace is not None:
            await self._everyplace.open(gateway, driver, commands, keys, listen)
        if self._myopenq is not None:
            alias = self._everyplace.queue_behind if self._everyplace is not None else lambda _: None
            await self._myopenq.open(gateway, driver, keys, listen, self.stop, alias)
        self._doors = RestDoors(settings, manager, commands, driver, listen)
        await self._doors.open()
        wanted, room = settings.channels.max, driver.descriptor_guard.room()
        if room < wanted:
            self.log.write("AMQ5054", (room, wanted, driver.descriptor_guard.limit))
        gateway.channel_manager.restart(self._clock())
        gateway.trigger_noted(self._clock())
        gateway.carriers.start_all(self._clock())
        await self._routes.start_inputs()
        driver.pump()
        if self._programs is not None:
            self._programs.start_defined()
        else:
            self._log_services_not_started(manager)
        assert self._expiry_watch is not None
        self._expiry_watch.start()
        self._report_ready(name)
        self.started = True
        self.log.write("AMQ8003", (name, os.path.normpath(settings.queue_manager.data)))

    def _open_keys(self, manager: QueueManager, driver: Driver) -> ChannelKeys:
        """Prepare the sessions of channels with TLS."""
        keys, log = ChannelKeys(self.configuration, manager), self.log.write
        driver.tls = keys.contexts
        key_log = self.configuration.tls.key_log
        if key_log is not None:
            log("AMQ5055", (os.path.normpath(key_log),))
        self._expiry_watch = ExpiryWatch(self._reactor, keys, lambda: date_of(self._clock()), log)
        return keys

    def _log_services_not_started(self, manager: QueueManager) -> None:
        """Log which services do not start because programs are disabled."""
        for service in manager.objects.select(Kind.SERVICE):
            if service.text("CONTROL") in STARTED_WITH_US and service.text("STARTCMD"):
                self.log.write("AMQ5032", (service.name, "[services] enabled is false"))

    async def _supply(self, manager: QueueManager, driver: Driver, new: list[Any]) -> None:
        stored: Deferred[MQError | None] = Deferred()
        manager.submit(new, stored.callback)
        driver.pump()
        error = await stored
        if error is not None:
            raise StartError(f"the supplied objects cannot be stored: {error}")
        self.log.write("AMQ8048", (sum(isinstance(each, PutRecord) and each.table == TABLE for each in new),))

    def _start_command_server(self, manager: QueueManager, gateway: Gateway, commands: Commands) -> None:
        server = CommandServer(gateway.channel_manager, commands)
        if manager.objects.manager.text("SCMDSERV") == "MANUAL":
            return
        try:
            server.start(self._clock())
        except MQError as error:
            self.log.write("AMQ8508", (error.reason,))

    # Listeners

    async def _open_listeners(self, manager: QueueManager) -> None:
        assert self._listeners is not None
        listeners = self._listeners
        opened = [await listen(listeners.listen, each.endpoint) for each in self.configuration.listeners]
        defined = [
            definition
            for definition in manager.objects.select(Kind.LISTENER)
            if definition.text("CONTROL") in STARTED_WITH_US and definition.subtype == "TCP"
        ]
        hosts = [*listeners.hosts, *(definition.text("IPADDR") for definition in defined)]
        require_users(self.configuration, manager.security, hosts)
        for each in opened:
            self._opened(each)
        for definition in defined:
            self._start_defined(definition)

    def _start_defined(self, definition: Definition) -> None:
        """Start a listener of DEFINE LISTENER; as in MQ, a failure does not end the start."""
        assert self._listeners is not None

        def outcome(error: ControlError | None) -> None:
            if error is not None:
                self.log.write("AMQ9218", (definition.name, str(error)))

        if all(each.name != definition.name for each in self._listeners.open):
            self._listeners.start_listener(definition, self._clock(), outcome)

    async def _open_for_input(self, route: str, wanted: DoorSettings) -> RestDoor:
        assert self._doors is not None
        return await self._doors.open_for_input(route, wanted)

    def _opened(self, listener: Listener) -> None:
        self.log.write("AMQ5026", (listener.name or "of the configuration", str(listener)))
        self._announce(listener)

    def _report_ready(self, name: str) -> None:
        assert self._listeners is not None
        assert self._doors is not None
        document = {
            "pid": os.getpid(),
            "queue_manager": name,
            "listeners": [{"host": each.host, "port": each.port} for each in self._listeners.open],
            **self._doors.addresses,
            **({} if self._everyplace is None else {"everyplace": self._everyplace.ready}),
            **({} if self._partners is None else self._partners.ready),
            **({} if self._myopenq is None else {"myopenq": self._myopenq.addresses}),
        }
        assert self._data is not None
        self._data.with_room(lambda: write_whole(self._running_file, document))
        if not self._data.keep_free():
            self.log.write("AMQ7475", (os.path.normpath(self.configuration.queue_manager.data),))
        if self._ready_file is not None:
            write_whole(self._ready_file, document)

    @property
    def _running_file(self) -> Path:
        return self.configuration.queue_manager.data / RUNNING_FILE

    # End

    def stop(self, why: str) -> None:
        """Stop in order: batches end, waits end with 2161, then everything closes. A second call forces."""
        if self._stop is not None:
            self._stop.force()
            return
        self.log.write("AMQ8146", (self.configuration.queue_manager.name, why))
        assert self._driver is not None
        assert self._listeners is not None
        assert self._doors is not None
        self._driver.gateway.manager.events.stopping(MQRQ.Q_MGR_QUIESCING, self._clock())
        self._stop = Stop(self._driver, self._listeners, self._doors, self._programs, self._closed)
        self._stop.begin(self.configuration.queue_manager.stop_wait)

    def _store_failed(self, error: StoreError) -> None:
        """End at once, with its own status, because nothing can be stored any more."""
        if self.status:
            return
        self.status = CANNOT_START
        self.log.write("AMQ7474", (str(error),))
        if self.started:
            self.stop("the store has failed")
            self.stop("")

    def _closed(self) -> None:
        Deferred.fromCoroutine(self._close()).addBoth(self._ended)

    def _ended(self, _: Any) -> None:
        self.log.write("AMQ8004", (self.configuration.queue_manager.name,))
        self.ended.callback(None)

    async def _close(self) -> None:
        """Close whatever is open; failures are logged, set the status, and prevent nothing else."""
        for part, name in (
            (self._listeners, "close_all"),
            (self._partners, "close"),
            (self._everyplace, "close"),
            (self._myopenq, "close"),
            (self._programs, "kill"),
            (self._expiry_watch, "stop"),
            (self if self._doors is not None else None, "_remove_files"),
            (self._doors, "close"),
            (self._driver, "stop"),
            (self._routes, "stop"),
            (self._links, "stop"),
            (self._partners, "stop"),
            (self._everyplace, "stop"),
            (self._myopenq, "stop"),
            (self._recording, "close"),
            (self._data, "close"),
        ):
            if part is None:
                continue
            try:
                await maybeDeferred(getattr(part, name))
            except StoreError as error:
                self._store_failed(error)
            except Exception:
                _log.failure("at the end something could not be closed")
                self.status = self.status or CANNOT_START

    def _remove_files(self) -> None:
        remove(self._running_file)
        if self._ready_file is not None:
            remove(self._ready_file)
