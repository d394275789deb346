"""TLS of channels, as rules: CipherSpecs, server names, SSLPEER, and what is required of a connection (tls.md).

Nothing here encrypts: `bridge.tls` does, and hands in what was agreed as a `TlsConnection`.
"""

from .cipher_specs import CIPHER_SPECS, ENABLED, CipherSpec, allowed, cipher_spec, cipher_spec_numbered, problem_of
from .connection import PeerCertificate, TlsConnection
from .distinguished_name import DistinguishedName
from .fault import TlsFault
from .offer import TlsOffer
from .peer_names import PeerNameError, PeerPattern, certificate_called, parse_peer_name, peer_name_of
from .requirements import CHANNEL_SNI, OUTBOUND_SNI, answering_offer, calling_offer, refusal
from .server_names import channel_named, server_name
from .unsupported import unsupported

__all__ = [
    "CHANNEL_SNI",
    "CIPHER_SPECS",
    "ENABLED",
    "OUTBOUND_SNI",
    "CipherSpec",
    "DistinguishedName",
    "PeerCertificate",
    "PeerNameError",
    "PeerPattern",
    "TlsConnection",
    "TlsFault",
    "TlsOffer",
    "allowed",
    "answering_offer",
    "calling_offer",
    "certificate_called",
    "channel_named",
    "cipher_spec",
    "cipher_spec_numbered",
    "parse_peer_name",
    "peer_name_of",
    "problem_of",
    "refusal",
    "server_name",
    "unsupported",
]
