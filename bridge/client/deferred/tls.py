"""Connecting inside TLS on a reactor."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionClosed
from twisted.internet.error import TimeoutError as ConnectTimeout
from twisted.internet.protocol import Factory

from mqbridge.bridge.client.tls import TlsCaller
from mqbridge.bridge.endpoints.tls_factories import connect_tls
from mqbridge.bridge.tls import TlsError
from mqbridge.protocol.constants import MQRC

from .protocol import ClientProtocol


async def connect_inside_tls(
    reactor: Any, endpoint: Any, protocol: ClientProtocol, caller: TlsCaller, timeout: float
) -> None:
    """Connect a protocol, whose connection is made after the handshake.

    Raises `MQError` for TLS, and what the endpoint raises.
    """
    reached = _ReachedEndpoint(endpoint)
    factory = Factory.forProtocol(lambda: protocol)
    try:
        await connect_tls(reactor, reached, factory, lambda: caller.session, timeout)
    except TlsError as error:
        raise caller.failed(error) from error
    except ConnectTimeout as error:
        if not reached.reached:
            raise
        late = TlsError("the handshake of TLS is not over in time", reason=MQRC.CONNECTION_BROKEN)
        raise caller.failed(late) from error
    except ConnectionClosed as error:
        try:
            caller.session.receive_end()
        except TlsError as ended:
            raise caller.failed(ended) from error
        raise


class _ReachedEndpoint:
    """An endpoint that knows whether its address was reached."""

    def __init__(self, endpoint: Any) -> None:
        self._endpoint = endpoint
        self.reached = False

    def connect(self, factory: Any) -> Deferred[Any]:
        """Connect."""
        return self._endpoint.connect(factory).addCallback(self._connected)  # type: ignore[no-any-return]

    def _connected(self, protocol: Any) -> Any:
        self.reached = True
        return protocol
