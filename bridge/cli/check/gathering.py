"""What ``mqbridge check`` judges, gathered from the configuration, the data folder and a running queue manager."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from mqbridge.bridge.cli.connecting import connect
from mqbridge.bridge.config import Configuration, split_unix_endpoint
from mqbridge.bridge.queue_manager.objects import Kind, Objects
from mqbridge.bridge.rest_client import EndpointNotReachable, RestClient, find_address
from mqbridge.bridge.rest_client.address import MAX_RUNNING_FILE, RUNNING_FILE
from mqbridge.bridge.security import SecurityRecord, UserError, Users, is_loopback
from mqbridge.bridge.security.checks import (
    AdminDoor,
    CertificateFact,
    Estate,
    InputDoor,
    ListeningAddress,
    Record,
    RevocationFact,
    WebDoor,
)
from mqbridge.bridge.security.users_file import UsersFile
from mqbridge.bridge.tls import KeyRepository, TlsError
from mqbridge.bridge.tls.labels import default_label
from mqbridge.bridge.tls.repository_facts import certificate_facts, issuers_without_list, revocation_facts
from mqbridge.protocol.errors import MQBridgeError

_PART: Final = re.compile(r"(?:[^\\:]|\\.)+", re.DOTALL)
_STARTED: Final = ("QMGR", "STARTONLY")
_AGENT: Final = "mqbridge check"


class CheckError(MQBridgeError):
    """It cannot be checked."""


@dataclass(frozen=True, slots=True)
class Checked:
    """``estate``: what is known. ``source``: where the definitions are from. ``repository``: the folder of
    certificates."""

    estate: Estate
    source: str
    repository: Path


@dataclass(frozen=True, slots=True)
class _Definitions:
    """Definitions of a queue manager, and the addresses of its listeners if it runs."""

    source: str
    queue_manager: SecurityRecord
    channels: tuple[SecurityRecord, ...]
    channel_rules: tuple[SecurityRecord, ...]
    authentications: tuple[SecurityRecord, ...]
    listeners: tuple[ListeningAddress, ...]
    admin: AdminDoor | None
    web: WebDoor | None


def gather(settings: Configuration) -> Checked:
    """Return what is known of a queue manager. Raises `CheckError`, `EndpointNotReachable`, `RestFailure`."""
    known = _definitions(settings)
    manager = known.queue_manager
    named = manager.text("SSLKEYR").strip()
    folder = settings.queue_manager.data / named if named else settings.key_folder
    repository = KeyRepository(Path(os.path.normpath(folder)))
    certificates: tuple[CertificateFact, ...] = ()
    revocations: tuple[RevocationFact, ...] = ()
    without_list: tuple[str, ...] = ()
    problem, users, users_problem = "", None, ""
    try:
        certificates, revocations = certificate_facts(repository), revocation_facts(repository)
        without_list = issuers_without_list(repository) if settings.tls.crl == "required" else ()
    except TlsError as error:
        problem = str(error)
    try:
        users = _users(settings)
    except UserError as error:
        users_problem = str(error)
    estate = Estate(
        now=time.time(),
        queue_manager=manager,
        channels=known.channels,
        channel_rules=known.channel_rules,
        authentications=known.authentications,
        listeners=known.listeners,
        admin=known.admin,
        web=known.web,
        inputs=tuple(_inputs(settings)),
        users=users,
        users_problem=users_problem,
        repository_problem=problem,
        default_label=default_label(manager.name),
        certificates=certificates,
        revocations=revocations,
        issuers_without_list=without_list,
        open_places=tuple(_open_places(settings)),
        key_log=str(settings.tls.key_log or ""),
        recorded_passwords=str(settings.record.directory or "") if settings.record.passwords else "",
    )
    return Checked(estate, known.source, repository.folder)


def _users(settings: Configuration) -> Users:
    users = UsersFile(settings.users_file).read()
    users.check()
    return users


# Definitions


def _definitions(settings: Configuration) -> _Definitions:
    data = settings.queue_manager.data
    try:
        find_address(data)
        running = _running(data)
        with connect(str(data), None, _AGENT) as client:
            return _of_running(settings, running, client)
    except EndpointNotReachable:
        return _of_folder(settings)  # it does not run, or was killed


def _of_running(settings: Configuration, running: dict[str, Any], client: RestClient) -> _Definitions:
    client.definitions()  # refused to who may not see everything, from whom displays leave out objects
    return _Definitions(
        "running",
        next(iter(_displayed(client, "qmgr", "qmname"))),
        tuple(_displayed(client, "channel", "channel")),
        tuple(_displayed(client, "chlauth", "chlauth")),
        tuple(_displayed(client, "authinfo", "authinfo")),
        tuple(_running_listeners(running)),
        _running_admin(settings, running),
        _running_web(settings, running),
    )


def _displayed(client: RestClient, qualifier: str, name: str) -> Iterable[Record]:
    """The definitions of a kind, as a running queue manager displays them."""
    command = {"type": "runCommandJSON", "command": "display", "qualifier": qualifier, "responseParameters": ["all"]}
    if qualifier != "qmgr":
        command["name"] = "*"
    reply = client.run_json(command)
    for entry in reply["commandResponse"]:
        parameters = entry.get("parameters")
        if not isinstance(parameters, dict) or name not in parameters:
            continue
        attributes = {word.upper(): _value(value) for word, value in parameters.items()}
        yield Record(str(parameters[name]), attributes)


def _value(value: Any) -> str | int | tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(each) for each in value)
    return value if isinstance(value, int) else str(value)


def _running(data: Path) -> dict[str, Any]:
    """What the queue manager has written of its addresses. Raises `CheckError`."""
    try:
        with (data / RUNNING_FILE).open("rb") as file:
            document: dict[str, Any] = json.loads(file.read(MAX_RUNNING_FILE))
    except (OSError, ValueError) as error:
        raise CheckError(f"{data / RUNNING_FILE} cannot be read: {error}") from error
    return document


def _running_listeners(running: dict[str, Any]) -> Iterable[ListeningAddress]:
    for each in running["listeners"]:
        host, port = str(each["host"]), int(each["port"])
        yield _address(host, port) if port else ListeningAddress(host, host, True)


def _running_admin(settings: Configuration, running: dict[str, Any]) -> AdminDoor:
    found = urlsplit(running["admin"])
    if found.scheme == "unix":
        return _admin(settings) if settings.admin.endpoint else AdminDoor(running["admin"], True, True)
    address = _address(found.hostname or "", found.port or 0)
    return AdminDoor(address.place, False, address.is_local)


def _running_web(settings: Configuration, running: dict[str, Any]) -> WebDoor | None:
    if "web" not in running:
        return None
    found = urlsplit(running["web"])
    plain, label = found.scheme != "https", settings.web.certificate or ""
    if not found.hostname:
        return WebDoor(running["web"], True, label, plain)
    address = _address(found.hostname, found.port or 0)
    return WebDoor(address.place, address.is_local, label, plain)


def _of_folder(settings: Configuration) -> _Definitions:
    from mqbridge.bridge.service.errors import StartError
    from mqbridge.bridge.service.stored_definitions import has_store, stored_objects

    data, name = settings.queue_manager.data, settings.queue_manager.name
    try:
        objects = stored_objects(data, name)
    except StartError as error:
        raise CheckError(str(error)) from error
    source = "not running; its definitions at the last stop" if has_store(data) else "before its first start"
    listeners = [*(_of_endpoint(each.endpoint) for each in settings.listeners), *_defined_listeners(objects)]
    return _Definitions(
        source,
        objects.manager,
        tuple(objects.select(Kind.CHANNEL)),
        tuple(objects.select(Kind.CHLAUTH)),
        tuple(objects.select(Kind.AUTHINFO)),
        tuple(listeners),
        _admin(settings),
        _web(settings),
    )


def _defined_listeners(objects: Objects) -> Iterable[ListeningAddress]:
    for each in objects.select(Kind.LISTENER):
        if each.subtype == "TCP" and each.text("CONTROL") in _STARTED:
            yield _address(each.text("IPADDR"), each.integer("PORT"))


# Doors


def _of_endpoint(description: str) -> ListeningAddress:
    """The address of an endpoint string; one that systemd passes may be any."""
    kind, _, rest = description.partition(":")
    if kind == "unix":
        path, _ = split_unix_endpoint(description)
        return ListeningAddress(f"unix:{path}", "", True)
    if kind not in ("tcp", "tcp6"):
        return ListeningAddress(description, "", False)
    parts = [re.sub(r"\\(.)", r"\1", part) for part in _PART.findall(rest)]
    host = next((part.removeprefix("interface=") for part in parts if part.startswith("interface=")), "")
    port = next((part.removeprefix("port=") for part in parts if part.removeprefix("port=").isdigit()), "0")
    return _address(host, int(port))


def _address(host: str, port: int) -> ListeningAddress:
    shown = f"[{host}]" if ":" in host else host or "*"
    return ListeningAddress(f"{shown}:{port}", host, bool(host) and is_loopback(host))


def _admin(settings: Configuration) -> AdminDoor:
    endpoint = settings.admin_endpoint
    path, _ = split_unix_endpoint(endpoint)
    if path is None:
        address = _of_endpoint(endpoint)
        return AdminDoor(address.place, False, address.is_local)
    mode = next((part.removeprefix("mode=") for part in endpoint.split(":") if part.startswith("mode=")), "666")
    return AdminDoor(f"unix:{os.path.normpath(path)}", True, True, int(mode, 8))


def _web(settings: Configuration) -> WebDoor | None:
    web = settings.web
    if web.endpoint is None:
        return None
    address = _of_endpoint(web.endpoint)
    return WebDoor(address.place, address.is_local, web.certificate or "", web.plain)


def _inputs(settings: Configuration) -> Iterable[InputDoor]:
    """HTTP inputs of routes. Settings that cannot be prevent the start, and are not judged here."""
    for route in settings.routes:
        given = route.input or {}
        endpoint, users = given.get("endpoint"), given.get("users", [])
        if given.get("kind") == "http" and isinstance(endpoint, str) and isinstance(users, list):
            address = _of_endpoint(endpoint)
            names = tuple(map(str, users))
            yield InputDoor(route.name, address.place, address.is_local, names, given.get("plain") is True)


def _open_places(settings: Configuration) -> Iterable[tuple[str, str]]:
    """Places that others than their owner may read."""
    places = [settings.queue_manager.data, settings.tls.key_log]
    places.append(settings.record.directory if settings.record.passwords else None)
    for place in places:
        if place is None or not place.exists():
            continue
        if stat.S_IMODE(place.stat().st_mode) & 0o077:
            shown = os.path.normpath(place)
            yield shown, f"chmod {'700' if place.is_dir() else '600'} {shown}"
