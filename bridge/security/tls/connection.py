"""What is known of a connection inside TLS, once the handshake is over."""

from __future__ import annotations

from dataclasses import dataclass, field

from .distinguished_name import DistinguishedName


@dataclass(frozen=True, slots=True)
class PeerCertificate:
    """The partner's certificate, whose chain has been checked. ``not_after``: seconds since the epoch. ``der``: all of
    it."""

    subject: DistinguishedName
    issuer: DistinguishedName
    serial: int
    not_after: float = 0.0
    der: bytes = field(default=b"", repr=False, compare=False)

    @property
    def serial_number(self) -> str:
        """The serial number as hexadecimal digits in pairs, ``4C:D0:49``."""
        digits = f"{self.serial:X}"
        digits = digits.zfill(len(digits) + len(digits) % 2)
        return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))

    @property
    def peer_name(self) -> str:
        """The subject as SSLPEER of DISPLAY CHSTATUS shows it, with the serial number in front (tls.md T-09)."""
        return f"SERIALNUMBER={self.serial_number},{self.subject}".rstrip(",")


@dataclass(frozen=True, slots=True)
class TlsConnection:
    """What the two ends agreed.

    ``protocol``: SECPROT, ``TLSV12`` or ``TLSV13``. ``cipher_spec``: IBM's name. ``server_name``: the SNI, blank if
    none was sent. ``channel``: the channel that the SNI names, blank if it names none. ``label``: of our certificate,
    blank if we had none. ``certificate``: the partner's, or None.
    """

    protocol: str
    cipher_spec: str
    server_name: str = ""
    channel: str = ""
    label: str = ""
    certificate: PeerCertificate | None = None
