"""Endpoints other than sockets in clear are refused: channels bring TLS themselves."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from os import close, dup, dup2
from pathlib import Path

import pytest

from mqbridge.bridge.endpoints.opening import KINDS, open_endpoint
from support.captures.recording_proxy import Proxy
from support.processes.running_service import MakeService, clean_environment, wait_for

ENDPOINTS = ["ssl:1414:privateKey=key.pem", "tls:1414", "fd:3", "stdio:", "haproxy:tcp:1414", " tcp:1414", "TCP:1414"]

ADVICE = "channels ask for TLS by SSLCIPH, on the same port"


def expected(endpoint: str) -> str:
    kind = endpoint.partition(":")[0]
    return f"{endpoint!r} is no endpoint: endpoints are tcp, tcp6, unix or systemd, not {kind!r}; {ADVICE}"


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_no_other_kind_is_opened(endpoint: str) -> None:
    with pytest.raises(ValueError, match=ADVICE):
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


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_UNIX])
def test_sockets_of_systemd_are_taken_over(tmp_path: Path, family: socket.AddressFamily) -> None:
    ready, place = tmp_path / "ready.json", str(tmp_path / "door")
    words = (
        f"-m mqbridge run --store memory --data {tmp_path}/data --ready-file {ready} --listen systemd:index=0:domain="
    )
    command = f"LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=door exec {sys.executable} {words}{family.name[3:]}"
    with socket.socket(family) as door, (tmp_path / "log").open("wb") as log:
        door.bind(("127.0.0.1", 0) if family == socket.AF_INET else place)
        door.listen()
        given = dup(door.fileno())  # not 3 itself, which would be closed in the new process

        def third() -> None:
            dup2(given, 3)

        process = subprocess.Popen(
            ["sh", "-c", command], env=clean_environment(), preexec_fn=third, pass_fds=(3,), stdout=log, stderr=log
        )
        try:
            wait_for("the start", ready.exists)
            (listener,) = json.loads(ready.read_text())["listeners"]
            expected = door.getsockname() if family == socket.AF_INET else (f"unix:{place}", 0)
            assert (listener["host"], listener["port"]) == expected
        finally:
            close(given)
            process.terminate()
            assert process.wait(60) == 0
