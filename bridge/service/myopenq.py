"""Doors for callers of MyOpenQ: checked against the configuration, made, and opened."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.myopenq.definitions import Definitions
from mqbridge.bridge.agents.myopenq.digest_lists import DigestLists
from mqbridge.bridge.agents.myopenq.door import Door
from mqbridge.bridge.agents.myopenq.queues import Queues
from mqbridge.bridge.agents.myopenq.rights import RightsFault
from mqbridge.bridge.agents.myopenq.sending.context import SendingContext
from mqbridge.bridge.agents.myopenq.sending.senders import Senders
from mqbridge.bridge.agents.myopenq.settings import DoorSettings
from mqbridge.bridge.config import Configuration, MyOpenQSettings
from mqbridge.bridge.endpoints.addresses import host_and_port, is_tcp
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.endpoints.myopenq.calls import ManagerCalls
from mqbridge.bridge.endpoints.myopenq.endpoint import DoorEndpoint
from mqbridge.bridge.endpoints.myopenq.rights_files import RightsFiles
from mqbridge.bridge.endpoints.opening import require_kind
from mqbridge.bridge.program_name import program
from mqbridge.bridge.security import is_loopback
from mqbridge.bridge.security.tls import TlsOffer, allowed
from mqbridge.bridge.tls import TlsContexts, TlsError, TlsSession
from mqbridge.bridge.tls.listener_files import ListenerFiles

from .channel_keys import ChannelKeys
from .errors import WRONG_CONFIGURATION, StartError

MIN_SECRET: Final = 16
"""Fewest bytes of a secret."""
MAX_SECRET: Final = 4096
QUEUES_FILE: Final = "queues.data"
_CIPHERS: Final = "ANY_TLS12_OR_HIGHER"


class MyOpenQ:
    """The doors of one queue manager. Raises `StartError` for those that cannot be."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._settings = configuration.myopenq
        self._endpoints: list[DoorEndpoint] = []
        self.addresses: dict[str, dict[str, str | int]] = {}
        """Host and port of each door, by name."""
        self._calls: ManagerCalls | None = None
        self.definitions: Definitions | None = None
        """What CREATE has made, once there is a store."""
        self._lists: DigestLists | None = None
        names: set[str] = set()
        for each in self._settings:
            _check(each)
            if each.name in names:
                raise _wrong(each, "name", f"there are two doors {each.name!r}")
            names.add(each.name)

    def make(self, gateway: Gateway) -> None:
        """Read what CREATE has made and which digests peers have used, and make the senders of remote queues, which
        hold what is in doubt: before any program can get messages. Raises `StoreDamaged`."""
        store, own = gateway.manager.store, self._own
        self._lists = DigestLists(store)
        self.definitions = definitions = Definitions(store)
        context = SendingContext(gateway.channel_manager, random.SystemRandom(), _secret(own), md5list=own.md5_list)
        definitions.follow(Senders(gateway.carriers, context, definitions.remote))

    @property
    def _own(self) -> MyOpenQSettings:
        """The door whose secret, digests and TLS senders use: the first in framed mode, else the first."""
        return next((each for each in self._settings if each.mode == "framed"), self._settings[0])

    async def open(
        self,
        gateway: Gateway,
        driver: Driver,
        keys: ChannelKeys,
        listen: Callable[[Callable[[str], Any], str], Any],
        stop: Callable[[str], None],
        alias: Callable[[str], str | None],
    ) -> None:
        """Make the doors, register them, and listen. ``stop``: ends the queue manager. ``alias``: see `Queues`. Raises
        `StartError`."""
        assert self.definitions is not None
        assert self._lists is not None
        host, lists = gateway.channel_manager, self._lists
        host.now = driver.now()
        queues = Queues(host, self.definitions)
        queues.alias = alias
        self._calls = ManagerCalls(driver, self._callers(self._own, keys) if self._own.tls else None)
        driver.manager_effect = self._calls.perform
        for each in self._settings:
            door = Door(host, _door_settings(each), queues, lists, random.SystemRandom())
            door.shut_down = lambda name=each.name: driver.reactor.callLater(0, stop, f"SHUTDOWN at door {name}")  # type: ignore[misc]
            files = RightsFiles(
                each.admin_allow, each.user_allow, _faults(driver, each.name), admin_purge=each.admin_purge
            )
            certified = each.tls and each.client_certificates
            endpoint = DoorEndpoint(driver, door, files, most=each.max, packet_time=each.timeout, certified=certified)
            self._endpoints.append(endpoint)
            gateway.carriers.add(door)
            await self._listen(endpoint, each, driver, keys, listen)

    async def _listen(
        self, endpoint: DoorEndpoint, settings: MyOpenQSettings, driver: Driver, keys: ChannelKeys, listen: Any
    ) -> None:
        make_session = self._sessions(settings, keys) if settings.tls else None
        await listen(lambda text: endpoint.listen(text, make_session), settings.endpoint)
        address = endpoint.port.getHost()
        if is_tcp(address) and not is_loopback(address.host):
            try:
                require_proof(settings)
            except StartError:
                await endpoint.close()
                raise
        host, port = host_and_port(address)
        self.addresses[settings.name] = {"host": host, "port": port}
        driver.log("AMQ5130", (settings.name, f"{host}({port})" if port else settings.endpoint, settings.mode))
        if settings.write_interval is not None:
            driver.log("AMQ5134", (settings.name,))
        if settings.data is not None and (settings.data / QUEUES_FILE).exists():
            driver.log("AMQ5135", (settings.name, str(settings.data), f"{program()} moq import {settings.data}"))

    def _sessions(self, settings: MyOpenQSettings, keys: ChannelKeys) -> Callable[[], TlsSession]:
        """What makes the sessions of a door. Raises `StartError` where there is no certificate."""
        contexts, offer = self._contexts(settings, keys)
        try:
            contexts.serve(offer)
        except TlsError as error:
            hint = f"make one with '{program()} certificate create', or name 'certificate' and 'key'"
            raise _wrong(
                settings, "certificate", f"door {settings.name!r} has no certificate: {error}", hint
            ) from error
        return lambda: contexts.serve(offer)

    def _callers(self, settings: MyOpenQSettings, keys: ChannelKeys) -> Callable[[str], TlsSession]:
        """What makes the sessions of senders, with the certificates of a door."""
        contexts, offer = self._contexts(settings, keys)
        return lambda _: contexts.call(offer)

    def _contexts(self, settings: MyOpenQSettings, keys: ChannelKeys) -> tuple[TlsContexts, TlsOffer]:
        own = settings.key is not None and settings.certificate is not None
        label = "" if own else settings.certificate or ""
        contexts = keys.contexts
        if own or settings.authorities is not None:
            source = self._configuration.source
            base = source.parent if source is not None else Path()
            file = base / str(settings.certificate) if own else None
            contexts = TlsContexts(
                ListenerFiles(lambda: keys.repository, file, settings.key, settings.authorities),
                file.stem.lower() if file is not None else keys.label,
                self._configuration.tls.crl == "required",
            )
            keys.others.append(contexts)
        return contexts, TlsOffer(allowed(_CIPHERS), label)

    async def close(self) -> None:
        """Close the listeners."""
        for each in self._endpoints:
            await each.close()

    def stop(self) -> None:
        """Close what is open at once."""
        if self._calls is not None:
            self._calls.stop()
        for each in self._endpoints:
            each.stop()


def _check(settings: MyOpenQSettings) -> None:
    """Check what can be checked before anything is open. Raises `StartError`."""
    try:
        require_kind(settings.endpoint)
    except ValueError as error:
        raise _wrong(settings, "endpoint", str(error)) from error
    for key in ("certificate", "key", "authorities"):
        if getattr(settings, key) is not None and not settings.tls:
            raise _wrong(settings, key, f"{key!r} is for TLS", "write tls = true")
    if settings.key is not None and settings.certificate is None:
        raise _wrong(settings, "key", "a key belongs to a certificate")
    for name in ("admin_allow", "user_allow"):
        file = getattr(settings, name)
        if file is not None and not file.is_file():
            raise _wrong(settings, name, f"{file}: there is no such file")
    _secret(settings)


def _secret(settings: MyOpenQSettings) -> bytes:
    """The first line of the file of the secret; empty without a file. Raises `StartError`."""
    file = settings.secret_file
    if file is None:
        return b""
    try:
        with file.open("rb") as opened:
            lines = opened.read(MAX_SECRET).splitlines()
    except OSError as error:
        raise _wrong(settings, "secret_file", f"{file}: {error.strerror or error}") from error
    if not lines or len(lines[0]) < MIN_SECRET:
        raise _wrong(settings, "secret_file", f"{file}: the first line has fewer than {MIN_SECRET} bytes")
    return lines[0]


def require_proof(settings: MyOpenQSettings) -> None:
    """Raise `StartError` for a door that other machines reach by their address alone (M-098)."""
    certified = settings.tls and settings.client_certificates
    if settings.address_only or settings.secret_file is not None or certified:
        return
    problem = f"door {settings.name!r} is reached by other machines, and an address is easily another's"
    hint = "name a secret_file, write tls = true, or allow it by address_only = true"
    raise _wrong(settings, "endpoint", problem, hint)


def _door_settings(settings: MyOpenQSettings) -> DoorSettings:
    return DoorSettings(
        name=settings.name,
        framed=settings.mode == "framed",
        md5_list=settings.md5_list,
        max_queues=settings.max_queues,
        max_message=settings.max_message,
        ccsid=settings.ccsid,
        mcauser=settings.mcauser or "",
        secret=_secret(settings),
        allow_shutdown=settings.allow_shutdown,
    )


def _faults(driver: Driver, name: str) -> Callable[[RightsFault], None]:
    def fault(found: RightsFault) -> None:
        place = f"{found.file} line {found.line}" if found.line else found.file
        driver.log("AMQ5131", (name, place, found.reason))

    return fault


def _wrong(settings: MyOpenQSettings, key: str, problem: str, hint: str = "") -> StartError:
    return StartError(str(settings.place.error(key, problem, hint)), WRONG_CONFIGURATION)
