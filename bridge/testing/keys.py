"""Certificates of the queue managers of a test session, and one for its clients."""

from __future__ import annotations

import datetime
import shutil
from pathlib import Path
from typing import Final

from mqbridge.bridge.tls.authorities import make_authority
from mqbridge.bridge.tls.certificate_folder import CertificateFolder
from mqbridge.bridge.tls.certificates import Wanted
from mqbridge.bridge.tls.labels import default_label
from mqbridge.bridge.tls.names import subject_name

KIND: Final = "rsa"
HOSTS: Final = ("localhost", "127.0.0.1", "::1")
DAYS: Final = 7
CLIENT: Final = "client"
"""Label and common name of the certificate for clients."""


class SessionKeys:
    """One authority of a session, made at its first use in ``folder``. It signs a certificate for all queue managers
    called ``name``, and one for clients. Raises `CertificateError`."""

    def __init__(self, folder: Path, name: str) -> None:
        now = datetime.datetime.now(datetime.UTC)
        repository, clients = CertificateFolder(folder / "queue-manager"), CertificateFolder(folder)
        authority = make_authority(repository, subject_name("CN=Tests"), KIND, now)
        own = Wanted(subject_name(f"CN={name}"), HOSTS, DAYS)
        repository.write(default_label(name), authority.issue(own, KIND, now))
        client = authority.issue(Wanted(subject_name(f"CN={CLIENT}"), days=DAYS), KIND, now)
        self._repository = repository.path
        self.authority = authority.file
        """The certificate that clients trust."""
        self.client = clients.write(CLIENT, client)
        """Key and certificate of a client."""

    def give(self, folder: Path) -> None:
        """Make a folder the key repository of a queue manager."""
        shutil.copytree(self._repository, folder, dirs_exist_ok=True)
