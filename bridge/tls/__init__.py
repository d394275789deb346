"""TLS over memory buffers: bytes in, bytes out, no sockets. The only room that imports OpenSSL."""

from .errors import TlsError
from .session import TlsSession

__all__ = ["TlsError", "TlsSession"]
