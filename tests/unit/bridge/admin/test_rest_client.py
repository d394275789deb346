"""The blocking client of the admin endpoint, at an endpoint that closes connections."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from mqbridge.bridge.rest_client import Address, EndpointNotReachable, RestClient

PATIENCE = 60.0
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n%s\r\n{}"


class Endpoint:
    """Takes so many connections one after the other, answers one request on each, and closes it."""

    def __init__(self, folder: Path, connections: int, header: bytes = b"") -> None:
        self.path = folder / "admin.sock"
        self.closed = threading.Semaphore(0)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.settimeout(PATIENCE)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, args=(connections, ANSWER % header))
        self._thread.start()

    def _serve(self, connections: int, answer: bytes) -> None:
        with self._listener:
            for _ in range(connections):
                connection, _ = self._listener.accept()
                with connection:
                    connection.settimeout(PATIENCE)
                    request = b""
                    while not request.endswith(b"\r\n\r\n"):
                        request += connection.recv(1000)
                    connection.sendall(answer)
                self.closed.release()

    def join(self) -> None:
        self._thread.join(PATIENCE)


@pytest.mark.parametrize("header", [b"", b"Connection: close\r\n"], ids=["idle", "told"])
def test_a_connection_that_the_endpoint_has_closed_is_made_again(tmp_path: Path, header: bytes) -> None:
    endpoint = Endpoint(tmp_path, 3, header)
    with RestClient(Address(socket=str(endpoint.path))) as client:
        for _ in range(3):
            assert client.call("GET", "/").document == {}
            assert endpoint.closed.acquire(timeout=PATIENCE)
    endpoint.join()


def test_an_endpoint_that_is_gone_is_not_reachable(tmp_path: Path) -> None:
    endpoint = Endpoint(tmp_path, 1)
    with RestClient(Address(socket=str(endpoint.path))) as client:
        assert client.call("GET", "/").document == {}
        endpoint.join()
        with pytest.raises(EndpointNotReachable, match="refused"):
            client.call("GET", "/")
