"""TLS of a link: our certificate from the queue manager's key repository, the provider's authorities from a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from cryptography import x509

from mqbridge.bridge.security import is_host_name
from mqbridge.bridge.security.tls import TlsOffer, allowed
from mqbridge.bridge.tls import CertificateSource, KeyFiles, OwnCertificate, TlsContexts, TlsSession

CIPHER_SPEC: Final = "ANY_TLS12_OR_HIGHER"


class LinkKeys:
    """Makes the sessions of one link. Files are read again for each session.

    ``own``: returns the key repository that has our certificate. ``label``: of our certificate, blank for none.
    ``trusted``: a file of certificates, a folder of such files, or a key repository.
    """

    __slots__ = ("_label", "_own", "_trusted")

    def __init__(self, own: Callable[[], CertificateSource], label: str, trusted: Path) -> None:
        self._own = own
        self._label = label
        self._trusted = KeyFiles(trusted=trusted)

    def session(self, host: str) -> TlsSession:
        """A session that demands a certificate for this host. Raises `TlsError`."""
        name = host.rstrip(".") if is_host_name(host) else ""
        offer = TlsOffer(allowed(CIPHER_SPEC), self._label, "", name, own_certificate=bool(self._label))
        return TlsContexts(self, self._label).call(offer, host)

    # A source of certificates

    def labels(self) -> tuple[str, ...]:
        """The label of our certificate. Raises `TlsError`."""
        return (self._label.lower(),) if self._label else ()

    def certificate(self, label: str) -> OwnCertificate:
        """Our certificate. Raises `TlsError`."""
        return self._own().certificate(label)

    def trusted(self) -> tuple[x509.Certificate, ...]:
        """The authorities. Raises `TlsError`."""
        return self._trusted.trusted()

    def revocations(self) -> tuple[x509.CertificateRevocationList, ...]:
        """The revocation lists. Raises `TlsError`."""
        return self._trusted.revocations()
