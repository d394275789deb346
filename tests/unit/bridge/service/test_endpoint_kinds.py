"""Endpoints other than sockets in clear are refused: what they would promise is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from recording_proxy import Proxy
from running_service import MakeService

from mqbridge.bridge.endpoints.opening import KINDS, open_endpoint

ENDPOINTS = ["ssl:1414:privateKey=key.pem", "tls:1414", "fd:3", "stdio:", "haproxy:tcp:1414", " tcp:1414", "TCP:1414"]


def expected(endpoint: str) -> str:
    kind = endpoint.partition(":")[0]
    return f"{endpoint!r} is no endpoint: endpoints are tcp, tcp6, unix or systemd, not {kind!r}; there is no TLS yet"


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_no_other_kind_is_opened(endpoint: str) -> None:
    with pytest.raises(ValueError, match="there is no TLS yet"):
        open_endpoint(None, endpoint, None)
    assert KINDS == ("tcp", "tcp6", "unix", "systemd")


@pytest.mark.parametrize("endpoint", ["ssl:1414:privateKey=key.pem", "haproxy:tcp:1414"])
@pytest.mark.parametrize("where", ["--listen", "[[listener]]", "[admin]"])
def test_it_ends_the_start_before_anything_is_made(
    make_service: MakeService, tmp_path: Path, where: str, endpoint: str
) -> None:
    options: tuple[str, ...] = ()
    if where != "--listen":
        file = tmp_path / "qm.toml"
        file.write_text(f'{where}\nendpoint = "{endpoint}"\n')
        options = ("--config", str(file))
    service = make_service(start=False, listen=endpoint if where == "--listen" else None, options=options)
    service.launch()
    assert service.wait() == 2
    assert service.log.splitlines() == [f"mqbridge: {expected(endpoint)}"]
    assert not service.data.exists()


def test_the_proxy_refuses_it_as_well(tmp_path: Path) -> None:
    proxy = Proxy(tmp_path, "127.0.0.1:1414", listen="ssl:1415")
    try:
        assert proxy.process.wait(60) == 2
    finally:
        proxy.close()
    assert proxy.errors.read_text().splitlines() == [f"mqbridge: --listen {expected('ssl:1415')}"]
    assert not proxy.output.exists()
