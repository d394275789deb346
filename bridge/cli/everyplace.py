"""``mqbridge everyplace``: the gateway for devices of a running queue manager."""

from __future__ import annotations

import datetime
import json
import ssl
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

from mqbridge.bridge.config.settings import KEY_FOLDER
from mqbridge.bridge.rest_client import DEFAULT_DATA, RestClient
from mqbridge.bridge.rest_client.everyplace import (
    act_on_device,
    administer,
    check_address,
    forget_reply,
    gateway,
    replies,
)

from .asking import InterruptibleGroup
from .connecting import FAILED, connect, reach_options, refusals

_AGENT: Final = "mqbridge everyplace"
NOT_VALID: Final = 1
_POLL: Final = 0.05
_COLUMNS: Final = ("name", "enrolment", "connected", "last_seen", "waiting", "clock_offset")
_NUMBERS: Final = frozenset(("waiting", "clock_offset"))
_JSON: Final = click.option("--json", "as_json", is_flag=True, help="One JSON object in place of text.")


@click.group("everyplace", cls=InterruptibleGroup)
def command() -> None:
    """Enrol devices at the gateway of a running queue manager, and show what they do.

    Status 0; 1 with the reason on standard error.
    """


@command.command("enrol")
@reach_options
@_JSON
@click.option("--host", metavar="NAME", help="The name by which devices reach this machine. [default: its own name]")
@click.option(
    "--certificate",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="In place of a key: make a certificate, signed by the queue manager's own authority, in this folder.",
)
@click.option(
    "--front",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="PEM",
    help="Certificate of a web server that ends TLS in front of the gateway; devices see this one.",
)
@click.option("--front-url", metavar="URL", help="Its address, such as https://shop.example/servlet/MQe.")
@click.argument("device", metavar="DEVICE")
def enrol(
    data: str | None,
    url: str | None,
    as_json: bool,
    host: str | None,
    folder: Path | None,
    front: Path | None,
    front_url: str | None,
    device: str,
) -> None:
    """Enrol DEVICE, and print what to type there.

    It gets an entry on the store-and-forward queue, a queue manager alias in MQ, and a key. Enrolling it again makes
    its earlier key worthless.
    """
    query = ({"host": host} if host else {}) | ({"by": "certificate"} if folder is not None else {})
    if front is not None or front_url is not None:
        if front is None or front_url is None or folder is not None:
            raise click.UsageError("--front and --front-url go together, and without --certificate")
        query |= {"front": _fingerprint(front).hex(), "url": _with_port(front_url)}
    with refusals(), connect(data, url, _AGENT) as client:
        files = None if folder is None else _certificate(Path(data or DEFAULT_DATA), device, folder)
        found = act_on_device(client, device, "enrol", query)
    if as_json:
        _print_json(found | (files or {}))
        return
    create = create_line(device, found)
    if files is None:
        click.echo(f"On the device, within an hour:  {create} --token {found['token']}")
    else:
        known = f"--certificate {files['certificate']} --authorities {files['authorities']}"
        click.echo(f"On the device, with these files:  {create} {known}")


def _fingerprint(file: Path) -> bytes:
    """Return the fingerprint of the first certificate in a file. Raises `click.UsageError` for one that has none."""
    from mqbridge.protocol.everyplace.errors import EveryplaceError
    from mqbridge.protocol.everyplace.token import fingerprint_of

    try:
        text = file.read_text(encoding="ascii")
        start, end = text.index(ssl.PEM_HEADER), text.index(ssl.PEM_FOOTER)
        return fingerprint_of(ssl.PEM_cert_to_DER_cert(text[start : end + len(ssl.PEM_FOOTER)]))
    except (OSError, ValueError, EveryplaceError) as error:
        raise click.UsageError(f"--front: {file} has no certificate in PEM: {error}") from error


def _with_port(url: str) -> str:
    """Return the address of a web server with its port. Raises `click.UsageError` for one that is none."""
    try:
        parts = urlsplit(url)
        if parts.scheme == "https" and parts.hostname and not parts.query:
            place = parts.netloc if parts.port else f"{parts.netloc.rstrip(':')}:443"
            return f"https://{place}{parts.path}"
    except ValueError:
        pass
    raise click.UsageError(f"--front-url: {url!r} is no address such as https://shop.example/servlet/MQe")


def create_line(device: str, found: dict[str, Any]) -> str:
    """Return what is typed on a device, without what proves who it is."""
    words = ["python3 mqe.pyz create", f"{device.lower()}.mqe"]
    if device.upper() != device:
        words += ["--name", device]
    words += ["--gateway", found["gateway"]]
    host = urlsplit(found["gateway"]).hostname or ""
    if host.partition(".")[0].upper() != found["gateway_name"] or host[:1].isdigit():
        words += ["--gateway-name", found["gateway_name"]]
    for each in found["behind"]:
        words += ["--mq", each]
    return " ".join(words)


def _certificate(data: Path, device: str, folder: Path) -> dict[str, str]:
    """Make a certificate of a device, and write what it needs to a folder. Returns the names of the files."""
    from mqbridge.bridge.tls.authorities import existing_authority
    from mqbridge.bridge.tls.certificate_folder import CertificateFolder
    from mqbridge.bridge.tls.certificates import Wanted
    from mqbridge.bridge.tls.files import PRIVATE, PUBLIC, write_file
    from mqbridge.bridge.tls.held import Held
    from mqbridge.bridge.tls.names import quoted_value, subject_name
    from mqbridge.bridge.tls.pem import pem

    authority = existing_authority(CertificateFolder(data / KEY_FOLDER))
    wanted = Wanted(subject_name(f"CN={quoted_value(device)}"))
    held = authority.issue(wanted, "ec", datetime.datetime.now(datetime.UTC))
    file, authorities = folder / f"{device.lower()}.pem", folder / "authority.pem"
    folder.mkdir(parents=True, exist_ok=True)
    write_file(file, Held(held.key, held.certificate, (authority.certificate,)).pem, PRIVATE)
    write_file(authorities, pem(authority.certificate), PUBLIC)
    return {"certificate": str(file), "authorities": str(authorities)}


@command.command("revoke")
@reach_options
@click.argument("device", metavar="DEVICE")
def revoke(data: str | None, url: str | None, device: str) -> None:
    """Let DEVICE connect no more, and end its connection. What waits for it stays; `enrol` admits it again."""
    with refusals(), connect(data, url, _AGENT) as client:
        act_on_device(client, device, "revoke")
    click.echo(f"{device} is revoked")


@command.command("readmit")
@reach_options
@click.argument("device", metavar="DEVICE")
def readmit(data: str | None, url: str | None, device: str) -> None:
    """Let the lanes of DEVICE go on that are held: it was restored from a backup, or made anew.

    What was on its way may come twice or not at all.
    """
    with refusals(), connect(data, url, _AGENT) as client:
        act_on_device(client, device, "readmit")
    click.echo(f"{device} is readmitted")


@command.command("status")
@reach_options
@_JSON
def status(data: str | None, url: str | None, as_json: bool) -> None:
    """Show the gateway and its devices: when they were last seen, what waits for them, and what blocks."""
    with refusals(), connect(data, url, _AGENT) as client:
        found = gateway(client)
    if as_json:
        _print_json(found)
        return
    click.echo(f"{found['gateway']} is {found['state']}")
    for each in found["listeners"]:
        click.echo(f"listener {each['name']}  {each['address']}")
    for each in found["connections"]:
        what = "  ".join(filter(None, (each["state"], each["tls"], each["peer"], each["why"])))
        click.echo(f"client-connection {each['name']}  {what}")
    for line in _table(found["devices"]):
        click.echo(line)


@command.command("admin", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@reach_options
@click.option("--replies", "shows", is_flag=True, help="Show the replies that have come, and delete them.")
@click.option("--wait", type=float, default=5.0, show_default=True, metavar="S", help="Seconds to wait for the reply.")
@click.argument("device", required=False)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="ACTION CLASS NAME [--PROPERTY VALUE]...")
def admin(
    data: str | None, url: str | None, shows: bool, wait: float, device: str | None, words: tuple[str, ...]
) -> None:
    """Send DEVICE, or the gateway itself, an administration message.

    One that is away obeys when it connects next; `--replies` shows later what it has answered. Status 1 if it was
    refused, or has failed.
    """
    if shows is (device is not None):
        raise click.UsageError("give DEVICE and what it is to do, or --replies")
    with refusals(), connect(data, url, _AGENT) as client:
        if device is None:
            for each in replies(client):
                _show_reply(client, each)
            return
        sent = administer(client, device, list(words))
        number = sent["request"]
        if not sent["connected"]:
            click.echo(f"{device} is away; request {number} waits")
            return
        until = time.monotonic() + wait
        while time.monotonic() < until:
            found = next((each for each in replies(client) if each["request"] == number), None)
            if found is not None:
                _show_reply(client, found, numbered=False)
                raise SystemExit(0 if found["code"] == 0 else FAILED)
            time.sleep(_POLL)
    click.echo(f"{device} has not answered; request {number} waits")


def _show_reply(client: RestClient, reply: dict[str, Any], *, numbered: bool = True) -> None:
    click.echo((f"request {reply['request']}: " if numbered else "") + str(reply["text"]))
    forget_reply(client, reply["request"])


@command.command("check")
@reach_options
@_JSON
@click.option("--from", "origin", metavar="DEVICE", default="", help="The device that sends.")
@click.argument("address", metavar="QUEUE@QMGR")
def check(data: str | None, url: str | None, as_json: bool, origin: str, address: str) -> None:
    """Say how a message to QUEUE@QMGR would go from the gateway, or from a device with the definitions that it was
    created with, or what is missing. Status 1 if it cannot go."""
    with refusals(), connect(data, url, _AGENT) as client:
        found = check_address(client, address, origin)
    if as_json:
        _print_json(found)
    else:
        click.echo("\n".join(found["lines"]))
    if not found["valid"]:
        raise SystemExit(NOT_VALID)


def _print_json(document: Any) -> None:
    click.echo(json.dumps(document, ensure_ascii=False, indent=1))


def _table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each device, and below it what blocks."""
    if not rows:
        return ["no device is enrolled"]
    names = {column: column.replace("_", " ") for column in _COLUMNS}
    texts = [{column: str(row[column]) for column in _COLUMNS} for row in rows]
    widths = {column: max(len(names[column]), *(len(text[column]) for text in texts)) for column in _COLUMNS}
    lines = [_line(names, widths)]
    for row, text in zip(rows, texts, strict=True):
        lines.append(_line(text, widths))
        lines += [f"  {each}" for each in row["blocks"]]
    return lines


def _line(text: dict[str, str], widths: dict[str, int]) -> str:
    cells = [
        text[each].rjust(widths[each]) if each in _NUMBERS else text[each].ljust(widths[each]) for each in _COLUMNS
    ]
    return "  ".join(cells).rstrip()
