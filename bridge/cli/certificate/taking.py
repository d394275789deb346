"""``receive``, ``import``, ``trust``, ``untrust``, ``revocations``, ``remove``: what others made is taken over."""

from __future__ import annotations

from pathlib import Path

import click

from mqbridge.bridge.cli.asking import ask_password
from mqbridge.bridge.tls import CertificateError
from mqbridge.bridge.tls.chains import complete_chain
from mqbridge.bridge.tls.files import read_file
from mqbridge.bridge.tls.foreign_files import conversion, is_pkcs12, read_pkcs12
from mqbridge.bridge.tls.held import Held, describe, read_held, require_valid, subject
from mqbridge.bridge.tls.pem import is_encrypted, read_certificates
from mqbridge.bridge.tls.requests import receive as receive_certificate
from mqbridge.bridge.tls.revocations import add_revocations

from .place import Place, label_option, now, places, replace_option, tell_refresh

_file = click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
_chain = click.option(
    "--chain",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Certificates above; may be repeated.",
)


@click.command()
@_file
@_chain
@click.option("--label", default="", metavar="LABEL", help="The label of the request. [default: the one that it fits]")
@places
def receive(place: Place, file: Path, chain: tuple[Path, ...], label: str) -> None:
    """Take the certificate that an authority has made for a request: FILE in PEM, DER or PKCS#7.

    It must have the key of a request that waits. Its chain must be complete: in FILE, in --chain, or trusted already.
    """
    found = [each for part in (file, *chain) for each in read_certificates(_content(part), str(part))]
    name, held = receive_certificate(place.folder, found, str(file), now(), label)
    click.echo(f"{name}  {describe(held.certificate)}")
    tell_refresh(place)


@click.command("import")
@_file
@_chain
@label_option
@replace_option
@places
def import_key(place: Place, file: Path, chain: tuple[Path, ...], label: str, replace: bool) -> None:
    """Take over key, certificate and chain from FILE: PKCS#12, or PEM. The password is asked for."""
    name, content = place.label(label), _content(file)
    if place.folder.has(name) and not replace:
        raise CertificateError(f"{name} exists already; --replace takes the other one")
    held = _held(file, content)
    require_valid(held.certificate, now(), str(file))
    more = [each for part in chain for each in read_certificates(_content(part), str(part))]
    above = complete_chain(held.certificate, [*held.chain, *more], place.folder.all_trusted(), str(file))
    place.folder.write(name, Held(held.key, held.certificate, above))
    click.echo(f"{name}  {describe(held.certificate)}")
    tell_refresh(place)


def _held(file: Path, content: bytes) -> Held:
    if is_pkcs12(content):
        return read_pkcs12(content, _password(file), str(file))
    return read_held(content, str(file), _password(file) if is_encrypted(content) else None)


def _password(file: Path) -> bytes:
    return ask_password(f"Password of {file}", confirmed=False).encode()


@click.command()
@_file
@click.option("--name", default="", metavar="NAME", help="What to call it. [default: from its subject]")
@places
def trust(place: Place, file: Path, name: str) -> None:
    """Trust the certificates in FILE: those of authorities, or of partners that sign their own."""
    trusted = place.folder.trust(read_certificates(_content(file), str(file)), str(file), now(), name)
    for called, certificate in trusted:
        click.echo(f"{called}  {describe(certificate)}")
    if not trusted:
        click.echo(f"{file}: trusted already")
        return
    tell_refresh(place)


@click.command()
@click.argument("name", metavar="NAME")
@places
def untrust(place: Place, name: str) -> None:
    """Trust the certificate that 'list' calls NAME no longer."""
    for certificate in place.folder.untrust(name):
        click.echo(f"{subject(certificate)} is trusted no longer")
    tell_refresh(place)


@click.command()
@_file
@places
def revocations(place: Place, file: Path) -> None:
    """Take the list of revoked certificates in FILE, in place of an earlier one of the same issuer."""
    for name, text in add_revocations(place.folder, read_file(file), str(file), now()):
        click.echo(f"{name}  {text}")
    tell_refresh(place)


@click.command()
@click.argument("label", metavar="LABEL")
@places
def remove(place: Place, label: str) -> None:
    """Remove the certificate LABEL and its key."""
    place.folder.remove(label)
    click.echo(f"{label} removed from {place.folder.path}")
    tell_refresh(place)


def _content(file: Path) -> bytes:
    """Read a file. Raises `CertificateError`, for formats that are not taken with what converts them."""
    content = read_file(file)
    words = conversion(file, content)
    if words:
        raise CertificateError(words)
    return content
