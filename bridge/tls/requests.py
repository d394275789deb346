"""Requests for certificates: their keys wait in ``requests/`` until the certificate is received."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization

from .certificate_folder import CertificateFolder
from .chains import complete_chain
from .errors import CertificateError
from .files import read_file, remove_file, write_file
from .held import Held, require_valid, subject
from .keys import Key, fits, key_pem, new_key, read_key
from .labels import check_label
from .names import alternative_names
from .pem import read_pem

FOLDER: Final = "requests"
MAX_WAITING: Final = 1000


def request(folder: CertificateFolder, label: str, name: x509.Name, hosts: Sequence[str], kind: str) -> bytes:
    """Make a key that waits, and return the request for an authority as PEM. An earlier request for the label is
    replaced. Raises `CertificateError`."""
    file = folder.path / FOLDER / f"{check_label(label)}.pem"
    key = new_key(kind)
    built = x509.CertificateSigningRequestBuilder(name)
    names = alternative_names(hosts)
    if names is not None:
        built = built.add_extension(names, critical=False)
    made = built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    write_file(file, key_pem(key) + made)
    return made


def waiting(folder: CertificateFolder) -> dict[str, tuple[Key, x509.CertificateSigningRequest]]:
    """The requests whose certificates have not been received, by label. Raises `CertificateError`."""
    place = folder.path / FOLDER
    files = sorted(place.glob("*.pem"))[: MAX_WAITING + 1]
    if len(files) > MAX_WAITING:
        raise CertificateError(f"{place} has more than {MAX_WAITING} requests")
    found = {}
    for file in files:
        contents = read_pem(read_file(file, private=True), str(file))
        if len(contents.keys) != 1 or len(contents.requests) != 1:
            raise CertificateError(f"{file} is no request with its key; remove it")
        found[file.stem] = read_key(contents.keys[0], None, str(file)), contents.requests[0]
    return found


def withdraw(folder: CertificateFolder, label: str) -> None:
    """Remove a request and its key. Raises `CertificateError`."""
    remove_file(folder.path / FOLDER / f"{check_label(label)}.pem")


def receive(
    folder: CertificateFolder,
    certificates: Sequence[x509.Certificate],
    where: str,
    now: datetime.datetime,
    label: str = "",
) -> tuple[str, Held]:
    """Join a certificate to the waiting key that it was made for, with its chain; return label and what is now in use.

    ``label``: the only request that counts; blank for any. Raises `CertificateError`.
    """
    keys = {name: key for name, (key, _) in waiting(folder).items() if label in ("", name)}
    if not keys:
        raise CertificateError(f"no request{f' for {label}' if label else ''} waits for a certificate")
    fitting = ((name, key, each) for name, key in keys.items() for each in certificates if fits(key, each))
    match = next(fitting, None)
    if match is None:
        raise CertificateError(
            f"{where}: the certificate of {subject(certificates[0])} has the key of no request that waits "
            f"({', '.join(keys)})"
        )
    name, key, certificate = match
    require_valid(certificate, now, where)
    held = Held(key, certificate, complete_chain(certificate, certificates, folder.all_trusted(), where))
    folder.write(name, held)
    withdraw(folder, name)
    return name, held
