"""TLS over memory buffers: bytes in, bytes out, no sockets. The only room that imports OpenSSL."""

from .contexts import TlsContexts
from .errors import CertificateError, TlsError
from .incoming import IncomingSession
from .key_repository import CertificateSource, KeyFiles, KeyRepository, OwnCertificate
from .program_files import ProgramFiles
from .session import TlsSession

__all__ = [
    "CertificateError",
    "CertificateSource",
    "IncomingSession",
    "KeyFiles",
    "KeyRepository",
    "OwnCertificate",
    "ProgramFiles",
    "TlsContexts",
    "TlsError",
    "TlsSession",
]
