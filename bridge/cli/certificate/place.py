"""The folder of certificates that the options name, and what its commands share."""

from __future__ import annotations

import datetime
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from mqbridge.bridge.cli.asking import configuration_of, place_options
from mqbridge.bridge.cli.ending import fail
from mqbridge.bridge.config import Configuration
from mqbridge.bridge.rest_client import EndpointNotReachable, RestClient, RestFailure, find_address
from mqbridge.bridge.tls import CertificateError
from mqbridge.bridge.tls.certificate_folder import CertificateFolder
from mqbridge.bridge.tls.certificates import DAYS
from mqbridge.bridge.tls.labels import check_label, default_label

F = TypeVar("F", bound=Callable[..., Any])

label_option = click.option("--label", default="", metavar="LABEL", help="Its label. [default: the queue manager's]")
subject_option = click.option(
    "--subject", default="", metavar="NAME", help="Its subject, as 'CN=EARTH,O=Space'. [default: CN=queue manager]"
)
hosts_option = click.option(
    "--host", "hosts", multiple=True, metavar="HOST", help="A host name or address of it; may be repeated."
)
days_option = click.option("--days", default=DAYS, show_default=True, metavar="N", help="Days that it is valid.")
kind_option = click.option(
    "--key", "kind", type=click.Choice(("rsa", "ec")), default="rsa", show_default=True, help="Kind of its key."
)
replace_option = click.option("--replace", is_flag=True, help="Replace the certificate that has this label.")


@dataclass(frozen=True, slots=True)
class Place:
    """What the options of a command name: ``folder``, the data folder, and the name of the queue manager if given."""

    folder: CertificateFolder
    data: Path
    given_name: str

    @property
    def queue_manager(self) -> str:
        """Its name: the one given, else that of the data folder. Raises `CertificateError`."""
        if self.given_name:
            return self.given_name
        try:
            return find_address(self.data).queue_manager
        except EndpointNotReachable:
            pass
        from mqbridge.bridge.service.errors import StartError
        from mqbridge.bridge.service.stored_definitions import stored_objects

        try:
            return stored_objects(self.data).name
        except StartError as error:
            raise CertificateError(f"{error}; or give its name with --qmgr") from error

    def label(self, label: str) -> str:
        """The label that was given, else the queue manager's default one. Raises `CertificateError`."""
        return check_label(label or default_label(self.queue_manager))

    def existing_label(self, label: str) -> str:
        """As `label`; where the default one does not exist but a single other one, that. Raises `CertificateError`."""
        name = self.label(label)
        known = self.folder.labels()
        return known[0] if not label and len(known) == 1 else name

    def is_running(self) -> bool:
        """Whether a queue manager runs in the data folder, as far as its files say."""
        try:
            find_address(self.data)
        except EndpointNotReachable:
            return False
        return True


def places(function: F) -> F:
    """Add the options that locate the folder; the command gets a `Place`, and its `CertificateError` ends it."""
    repository = click.option(
        "--repository",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="The folder of certificates. [default: as SSLKEYR names it, else ssl in the data folder]",
    )
    name = click.option("--qmgr", default="", metavar="NAME", help="Name of the queue manager. [default: as stored]")

    @wraps(function)
    def run(config: Path | None, data: Path | None, repository: Path | None, qmgr: str, **rest: Any) -> Any:
        settings = configuration_of(config, data)
        given = qmgr or ("" if settings.source is None else settings.queue_manager.name)
        with refusals():
            folder = Path(os.path.normpath(repository or _key_folder(settings)))
            return function(Place(CertificateFolder(folder), settings.queue_manager.data, given), **rest)

    return place_options(repository(name(run)))  # type: ignore[return-value]


def _key_folder(settings: Configuration) -> Path:
    """The folder that SSLKEYR of the queue manager names. Raises `CertificateError`."""
    data = settings.queue_manager.data
    try:
        named = _asked(data)
    except (EndpointNotReachable, RestFailure):
        named = _stored(data)
    return data / named if named else settings.key_folder


def _asked(data: Path) -> str:
    """SSLKEYR of a queue manager that runs; at a port, where users have to give passwords, it is not asked for."""
    address = find_address(data)
    if not address.socket:
        return ""
    with RestClient(address, "mqbridge certificate") as client:
        command = {
            "type": "runCommandJSON",
            "command": "display",
            "qualifier": "qmgr",
            "responseParameters": ["sslkeyr"],
        }
        found = client.run_json(command)["commandResponse"][0]["parameters"]["sslkeyr"]
        return str(found).strip()


def _stored(data: Path) -> str:
    """SSLKEYR of a queue manager that does not run. Raises `CertificateError`."""
    from mqbridge.bridge.service.errors import StartError
    from mqbridge.bridge.service.stored_definitions import has_store, stored_objects

    try:
        return stored_objects(data).manager.text("SSLKEYR").strip() if has_store(data) else ""
    except StartError as error:
        raise CertificateError(f"{error}; or name the folder of certificates with --repository") from error


@contextmanager
def refusals() -> Iterator[None]:
    """End the command with a line on standard error and status 1."""
    try:
        yield
    except CertificateError as error:
        fail(str(error))


def now() -> datetime.datetime:
    """The time."""
    return datetime.datetime.now(datetime.UTC)


def hosts_of_this_machine() -> tuple[str, ...]:
    """Names and addresses by which programs of this machine, and those that know its name, reach it."""
    name = socket.gethostname()
    return (*([name] if name.isascii() and name else []), "localhost", "127.0.0.1", "::1")


def tell_refresh(place: Place) -> None:
    """Say on standard error what makes a running queue manager use what has changed."""
    if place.is_running():
        click.echo("The queue manager is running; it takes this over with REFRESH SECURITY TYPE(SSL).", err=True)
