"""TLS of channels, as rules: CipherSpecs, server names, SSLPEER, and what is required of a connection (tls.md).

Nothing here encrypts: `bridge.tls` does, and hands in what was agreed as a `TlsConnection`.
"""

from .connection import PeerCertificate, TlsConnection
from .distinguished_name import DistinguishedName
from .fault import TlsFault
from .offer import TlsOffer

__all__ = ["DistinguishedName", "PeerCertificate", "TlsConnection", "TlsFault", "TlsOffer"]
