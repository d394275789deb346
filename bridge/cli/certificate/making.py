"""``create``, ``request``, ``issue``, ``sign``, ``revoke``: certificates made here, and requests for others."""

from __future__ import annotations

from pathlib import Path

import click

from mqbridge.bridge.cli.asking import ask_password
from mqbridge.bridge.tls import CertificateError
from mqbridge.bridge.tls.authorities import OwnAuthority, existing_authority, make_authority, read_authority
from mqbridge.bridge.tls.certificates import Wanted, self_signed
from mqbridge.bridge.tls.files import PRIVATE, PUBLIC, read_file, write_file
from mqbridge.bridge.tls.foreign_files import write_pkcs12
from mqbridge.bridge.tls.held import Held, describe, subject, until
from mqbridge.bridge.tls.keys import new_key
from mqbridge.bridge.tls.names import quoted_value, subject_name
from mqbridge.bridge.tls.own_revocations import keep_own_list
from mqbridge.bridge.tls.own_revocations import revoke as revoke_certificates
from mqbridge.bridge.tls.pem import pem, read_certificates, read_pem
from mqbridge.bridge.tls.requests import request as make_request

from .place import (
    Place,
    days_option,
    hosts_of_this_machine,
    hosts_option,
    kind_option,
    label_option,
    now,
    places,
    replace_option,
    subject_option,
    tell_refresh,
)

_output = click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="The file to write.")


@click.command()
@label_option
@subject_option
@hosts_option
@days_option
@kind_option
@click.option("--own-authority", is_flag=True, help="Let an authority of the queue manager's own sign it.")
@replace_option
@places
def create(
    place: Place,
    label: str,
    subject: str,
    hosts: tuple[str, ...],
    days: int,
    kind: str,
    own_authority: bool,
    replace: bool,
) -> None:
    """Make a key and a certificate for it, signed by itself or by an authority of one's own.

    Without --host it names this machine and localhost.
    """
    folder, name = place.folder, place.label(label)
    had = folder.has(name)
    if had and not replace:
        raise CertificateError(
            f"{name} exists already ({describe(folder.read(name).certificate)}); --replace makes another"
        )
    wanted = Wanted(subject_name(subject or _own_subject(place)), hosts or hosts_of_this_machine(), days)
    if not own_authority:
        key = new_key(kind)
        held = Held(key, self_signed(wanted, key, now()))
        folder.write(name, held)
        click.echo(f"{name}  {_short(held)}; 'mqbridge certificate export' writes what clients and partners trust")
    else:
        authority = _authority(place, kind)
        held = authority.issue(wanted, kind, now())
        folder.write(name, held)
        click.echo(f"{name}  {_short(held)}; clients and partners trust {authority.file}")
    if had:
        tell_refresh(place)


def _authority(place: Place, kind: str) -> OwnAuthority:
    authority = read_authority(place.folder)
    if authority is None:
        name = subject_name(f"CN={quoted_value(f'Authority of {place.queue_manager}')}")
        authority = make_authority(place.folder, name, kind, now())
    keep_own_list(place.folder, authority, now())
    return authority


def _own_subject(place: Place) -> str:
    return f"CN={quoted_value(place.queue_manager)}"


def _short(held: Held) -> str:
    return f"{subject(held.certificate)}, until {until(held.certificate)}"


@click.command()
@label_option
@subject_option
@hosts_option
@kind_option
@_output
@places
def request(place: Place, label: str, subject: str, hosts: tuple[str, ...], kind: str, output: Path | None) -> None:
    """Make a key that waits, and write the request for a certificate that an authority is to sign (PKCS#10).

    Without --output it goes to standard output. A certificate in use stays so until 'receive'.
    """
    name = place.label(label)
    wanted = subject_name(subject or _own_subject(place))
    made = make_request(place.folder, name, wanted, hosts or hosts_of_this_machine(), kind)
    if output is None:
        click.echo(made.decode(), nl=False)
        return
    write_file(output, made, PUBLIC)
    click.echo(f"{name}  the request is in {output}; 'mqbridge certificate receive FILE' takes the certificate")


@click.command()
@click.argument("subject", metavar="SUBJECT")
@hosts_option
@days_option
@kind_option
@click.option("--pkcs12", is_flag=True, help="Write PKCS#12, with a password that is asked for.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", required=True, help="The file to write.")
@places
def issue(place: Place, subject: str, hosts: tuple[str, ...], days: int, kind: str, pkcs12: bool, output: Path) -> None:
    """Make key and certificate of a client or partner, such as CN=app1, signed by the queue manager's own authority."""
    authority = existing_authority(place.folder)
    held = authority.issue(Wanted(subject_name(subject), hosts, days), kind, now())
    held = Held(held.key, held.certificate, (authority.certificate,))
    if pkcs12:
        content = write_pkcs12(held, output.stem, ask_password(f"Password of {output}", confirmed=True).encode())
    else:
        content = held.pem
    write_file(output, content, PRIVATE)
    click.echo(f"{_short(held)}; key and certificate are in {output}")


@click.command()
@click.argument("file", metavar="REQUEST", type=click.Path(path_type=Path))
@days_option
@_output
@places
def sign(place: Place, file: Path, days: int, output: Path | None) -> None:
    """Sign the certificate that a request of a client or partner asks for, with the queue manager's own authority.

    Certificate and authority go to --output, or standard output.
    """
    authority = existing_authority(place.folder)
    requests = read_pem(read_file(file), str(file)).requests
    if len(requests) != 1:
        raise CertificateError(f"{file} has {len(requests) or 'no'} requests for certificates; one is expected")
    certificate = authority.sign(requests[0], days, now(), str(file))
    made = pem(certificate, authority.certificate)
    if output is None:
        click.echo(made.decode(), nl=False)
        return
    write_file(output, made, PUBLIC)
    click.echo(f"{subject(certificate)}, until {until(certificate)}; the certificate is in {output}")


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@places
def revoke(place: Place, file: Path) -> None:
    """Revoke the certificate in FILE, which the queue manager's own authority has issued or signed."""
    authority = existing_authority(place.folder)
    certificates = read_certificates(read_file(file), str(file))
    for certificate in revoke_certificates(place.folder, authority, certificates, now()):
        click.echo(f"{subject(certificate)}, serial number {certificate.serial_number:x}, is revoked")
    tell_refresh(place)
