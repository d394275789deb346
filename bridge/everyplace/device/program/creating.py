"""``create``: a queue manager in a file, and the way to its gateway."""

from __future__ import annotations

import argparse
import ipaddress
import os
from typing import Final
from urllib.parse import urlsplit

from mqbridge.bridge.everyplace import secrets
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.device.device_file import Gateway, create_file
from mqbridge.bridge.everyplace.device.queue_manager import QueueManager
from mqbridge.protocol.everyplace.endpoints import parse_endpoint
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import check_name
from mqbridge.protocol.everyplace.token import Token

from .files import add_file, pin_of

ADAPTERS: Final = {"mqe": "tcp", "mqes": "tls", "http": "http", "https": "https"}
"""Adapters by the scheme of a gateway's address."""


def arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    add_file(parser)
    parser.add_argument("--name", metavar="QM", help="name of the queue manager; [that of the file, MOON of moon.mqe]")
    parser.add_argument("--gateway", metavar="URL", help="mqes://earth:8081, mqe://, https:// or http://, with a path")
    parser.add_argument("--gateway-name", metavar="QM", help="name of the gateway; [EARTH of earth:8081]")
    parser.add_argument("--token", help="what 'mqbridge everyplace enrol' has printed")
    parser.add_argument(
        "--mq", metavar="QM", action="append", default=[], help="an MQ queue manager behind the gateway, such as SATURN"
    )
    parser.add_argument("--certificate", metavar="PEM", help="file with the own certificate, and its key")
    parser.add_argument("--key", metavar="PEM", help="file with the key, if it is another one")
    parser.add_argument("--authorities", metavar="PEM", help="file with who signs the gateway's certificate")


def run(name: str, arguments: argparse.Namespace) -> int:
    """Create it, and say what is there."""
    own = arguments.name or os.path.splitext(os.path.basename(arguments.file))[0].upper()
    check_name(own, "queue manager")
    gateway = _gateway(arguments, own)
    pin = pin_of(arguments)
    create_file(arguments.file, own, gateway)
    if pin:
        with QueueManager.open(arguments.file, connect=False) as made:
            made.protection.create(pin)
    if gateway is None:
        print(f"{own} is in {arguments.file}; it has no gateway")
        return 0
    behind = f", and {', '.join(gateway.behind)} behind it" if gateway.behind else ""
    print(f"{own} is in {arguments.file}; its gateway is {gateway.connection.name}{behind}")
    return 0


def _gateway(arguments: argparse.Namespace, own: str) -> Gateway | None:
    if not arguments.gateway:
        if arguments.token or arguments.mq:
            raise EveryplaceError(Code.SYNTAX, "--token and --mq need --gateway, such as mqes://earth:8081")
        return None
    parts = urlsplit(arguments.gateway)
    if parts.scheme not in ADAPTERS:
        text = f"{arguments.gateway!r} begins with none of {', '.join(f'{each}://' for each in ADAPTERS)}"
        raise EveryplaceError(Code.SYNTAX, text)
    host, port = parse_endpoint(parts.netloc)
    gateway = arguments.gateway_name or _name_of(host)
    for each in arguments.mq:
        check_name(each, "MQ queue manager", for_mq=True)
    kept: dict[str, bytes] = {}
    if arguments.token:
        kept = secrets.of_token(Token.parse(arguments.token), own)
    for row, value in (
        (secrets.CERTIFICATE, arguments.certificate),
        (secrets.PRIVATE_KEY, arguments.key),
        (secrets.AUTHORITIES, arguments.authorities),
    ):
        if value:
            kept[row] = value.encode()
    endpoint = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    adapter = ADAPTERS[parts.scheme]
    path = "" if parts.path in ("", "/") else parts.path
    return Gateway(ConnectionDefinition(gateway, adapter, endpoint, path), tuple(arguments.mq), kept)


def _name_of(host: str) -> str:
    """Return the name that a gateway on a host has if nobody says another. Raises `EveryplaceError` SYNTAX."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host.partition(".")[0].upper()
    raise EveryplaceError(Code.SYNTAX, f"the gateway at {host} has a name: say --gateway-name EARTH")
