"""Sessions of one queue manager or program: its certificates, whom it trusts, and what each session may offer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from OpenSSL import SSL

from mqbridge.bridge.security.tls import TlsConnection, TlsOffer

from .context_settings import Settings, TrustedCertificates, make_context, trust
from .descriptions import UNREADABLE, connection_description, unreadable_certificate
from .errors import TlsError
from .incoming import IncomingSession
from .key_log import KeyLog
from .key_repository import CertificateSource, OwnCertificate, missing
from .session import TlsSession
from .verification import Verification

MAX_CONTEXTS: Final = 64
"""Contexts kept for offers, the last used."""


@dataclass(frozen=True, slots=True)
class _Keys:
    """The files of a key repository, read at one time. ``own``: by label, or why the label cannot be used."""

    own: dict[str, OwnCertificate | TlsError]
    trusted: TrustedCertificates


class TlsContexts:
    """Makes sessions. Files are read when they are first needed, and again by `refresh`.

    ``default_label``: of the certificate that offers without a label use. ``crl_required``: authorities without a
    revocation list are refused. ``key_log``: a file to which the keys of each session are written, for analysis.
    ``system_authorities``: trust the authorities of the system too.
    """

    __slots__ = ("_contexts", "_default_label", "_key_log", "_keys", "_required", "_source", "_system")

    def __init__(
        self,
        repository: CertificateSource,
        default_label: str = "",
        crl_required: bool = False,
        key_log: Path | None = None,
        *,
        system_authorities: bool = False,
    ) -> None:
        self._source = repository
        self._default_label = default_label.lower()
        self._required = crl_required
        self._key_log = None if key_log is None else KeyLog(key_log)
        self._system = system_authorities
        self._keys: _Keys | None = None
        self._contexts: dict[Settings, SSL.Context] = {}

    def answer(self, offer_for: Callable[[str], TlsOffer]) -> IncomingSession:
        """Make the end that is called. ``offer_for`` gets the server name of the hello, blank if it has none."""
        return IncomingSession(offer_for, self._serve)

    def serve(self, offer: TlsOffer) -> TlsSession:
        """Make the end that is called, where the server name does not matter. Raises `TlsError`."""
        return self._serve(offer, None)

    def call(self, offer: TlsOffer, verify_host: str = "", pinned: Callable[[bytes], bool] | None = None) -> TlsSession:
        """Make the end that calls; `TlsSession.receive_data` without data begins. Raises `TlsError`.

        ``verify_host``: a name or an address that the partner's certificate must be for, blank for any. ``pinned``: see
        `Verification`.
        """
        label = offer.label.lower() or self._default_label
        settings = Settings(False, offer.cipher_specs, self._label_to_call(offer, label))
        checks = Verification(verify_host, pinned)
        connection = SSL.Connection(self._context(settings), None)
        connection.set_app_data(checks)
        connection.set_connect_state()
        if offer.server_name:
            connection.set_tlsext_host_name(offer.server_name.encode("ascii", "replace"))
        return TlsSession(connection, self._describer(offer, settings.label, offer.server_name), checks)

    def use(self, repository: CertificateSource, default_label: str) -> None:
        """Take another repository and default label. Files are read when they are first needed."""
        self._source, self._default_label, self._keys = repository, default_label.lower(), None
        self._contexts.clear()

    def refresh(self, repository: CertificateSource | None = None, default_label: str | None = None) -> None:
        """Read all files again for sessions to come, from another repository and with another default label if they are
        given. Raises `TlsError`; then all stays as it was."""
        source = self._source if repository is None else repository
        self._keys = self._read(source)
        self._source = source
        if default_label is not None:
            self._default_label = default_label.lower()
        self._contexts.clear()

    def certificate(self, label: str = "") -> OwnCertificate:
        """Our certificate with a label, or the default one. Raises `TlsError`."""
        label = label.lower() or self._default_label
        found = self._current().own.get(label)
        if isinstance(found, TlsError):
            raise TlsError(str(found), found.fault, found.reason)
        if found is None:
            return self._source.certificate(label) if label else self._no_label()
        return found

    def _no_label(self) -> OwnCertificate:
        raise missing("", "no label is set")

    def _label_to_call(self, offer: TlsOffer, label: str) -> str:
        """The label of the certificate that a caller sends; blank if it has none and needs none."""
        if offer.own_certificate:
            return self.certificate(label).label
        return label if label in self._current().own else ""

    def _serve(self, offer: TlsOffer, server_name: str | None) -> TlsSession:
        settings = Settings(True, offer.cipher_specs, self.certificate(offer.label).label)
        checks = Verification()
        connection = SSL.Connection(self._context(settings), None)
        connection.set_app_data(checks)
        connection.set_accept_state()
        return TlsSession(connection, self._describer(offer, settings.label, server_name), checks)

    def _describer(
        self, offer: TlsOffer, label: str, server_name: str | None
    ) -> Callable[[SSL.Connection], TlsConnection]:
        def describe(connection: SSL.Connection) -> TlsConnection:
            name = server_name
            if name is None:
                name = (connection.get_servername() or b"").decode("ascii", "backslashreplace")
            return connection_description(
                connection.get_protocol_version_name(),
                connection.get_cipher_name() or "",
                _partner(connection),
                server_name=name,
                channel=offer.channel,
                label=label,
            )

        return describe

    def _context(self, settings: Settings) -> SSL.Context:
        """The context for settings, made once."""
        context = self._contexts.pop(settings, None)
        if context is None:
            own = self.certificate(settings.label) if settings.label else None
            context = make_context(settings, own, self._current().trusted, self._key_log)
            while len(self._contexts) >= MAX_CONTEXTS:
                del self._contexts[next(iter(self._contexts))]
        self._contexts[settings] = context
        return context

    def _current(self) -> _Keys:
        if self._keys is None:
            self._keys = self._read(self._source)
        return self._keys

    def _read(self, source: CertificateSource) -> _Keys:
        own: dict[str, OwnCertificate | TlsError] = {}
        for label in source.labels():
            try:
                own[label] = source.certificate(label)
            except TlsError as error:
                own[label] = error.with_traceback(None)
        trusted, revocations = source.trusted(), source.revocations()
        found = trust(trusted, revocations, crl_required=self._required, system=self._system)
        return _Keys(own, found)


def _partner(connection: SSL.Connection) -> x509.Certificate | None:
    """The partner's certificate. Raises `TlsError` if it cannot be read, though OpenSSL could."""
    try:
        return connection.get_peer_certificate(as_cryptography=True)
    except UNREADABLE:
        raise unreadable_certificate() from None
