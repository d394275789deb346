"""``list``, ``export``: what there is, and what others get of it."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from mqbridge.bridge.cli.asking import ask_password
from mqbridge.bridge.tls import CertificateError
from mqbridge.bridge.tls.authorities import public_authority
from mqbridge.bridge.tls.descriptions import distinguished_name
from mqbridge.bridge.tls.files import PRIVATE, PUBLIC, write_file
from mqbridge.bridge.tls.foreign_files import write_pkcs12
from mqbridge.bridge.tls.held import describe, summary
from mqbridge.bridge.tls.requests import waiting
from mqbridge.bridge.tls.revocations import described_revocations

from .place import Place, label_option, places


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, with serial numbers and fingerprints.")
@places
def list_certificates(place: Place, as_json: bool) -> None:
    """List certificates, requests that wait, whom the queue manager trusts, and lists of revoked certificates."""
    for row in _rows(place):
        if as_json:
            click.echo(json.dumps({key: value for key, value in row.items() if key != "text"}))
        else:
            kind = "" if row["kind"] == "certificate" else f"{row['kind']} "
            click.echo(f"{kind}{row['name']}  {row['text']}")


def _rows(place: Place) -> Iterator[dict[str, Any]]:
    folder = place.folder
    for label in folder.labels():
        certificate = folder.read(label).certificate
        yield {"kind": "certificate", "name": label, "text": describe(certificate), **summary(certificate)}
    for label, (_, request) in waiting(folder).items():
        name = str(distinguished_name(request.subject))
        yield {"kind": "request", "name": label, "text": f"{name}, waits for its certificate", "subject": name}
    authority = public_authority(folder)
    if authority is not None:
        yield {"kind": "own", "name": "authority", "text": describe(authority), **summary(authority)}
    for name, certificates in folder.trusted().items():
        for certificate in certificates:
            yield {"kind": "trusted", "name": name, "text": describe(certificate), **summary(certificate)}
    for name, text, issuer, until in described_revocations(folder):
        yield {"kind": "revocations", "name": name, "text": text, "issuer": issuer, "notAfter": _iso(until)}


def _iso(when: datetime.datetime | None) -> str | None:
    return None if when is None else when.strftime("%Y-%m-%dT%H:%M:%SZ")


@click.command()
@label_option
@click.option("--pkcs12", is_flag=True, help="Write PKCS#12 with the private key and a password that is asked for.")
@click.option("--private-key", is_flag=True, help="Write the private key too; to a file only.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="The file to write.")
@places
def export(place: Place, label: str, pkcs12: bool, private_key: bool, output: Path | None) -> None:
    """Write a certificate and its chain as PEM, to --output or standard output; others may have that."""
    name = place.existing_label(label)
    held = place.folder.read(name)
    if (pkcs12 or private_key) and output is None:
        raise CertificateError("a private key goes to a file only: --output FILE")
    if output is None:
        click.echo(held.certificates_pem.decode(), nl=False)
        return
    if pkcs12:
        password = ask_password(f"Password of {output}", confirmed=True).encode()
        write_file(output, write_pkcs12(held, name, password), PRIVATE)
    elif private_key:
        write_file(output, held.pem, PRIVATE)
    else:
        write_file(output, held.certificates_pem, PUBLIC)
    click.echo(f"{name}  {describe(held.certificate)}; written to {output}")
