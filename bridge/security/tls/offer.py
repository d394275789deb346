"""What one end offers in a handshake."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TlsOffer:
    """What one end offers.

    ``cipher_specs``: IBM's names, the preferred first. ``label``: of the certificate; blank for the default one (tls.md
    T-05). ``channel``: the channel that the offer was made for; blank if the caller named none. ``server_name``: the
    SNI that a caller sends, blank for none. ``own_certificate``: whether a caller needs a certificate to call.
    """

    cipher_specs: tuple[str, ...]
    label: str = ""
    channel: str = ""
    server_name: str = ""
    own_certificate: bool = False
