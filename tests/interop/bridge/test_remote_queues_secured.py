"""Senders of remote queues prove who they are as callers of their own door must: by the secret, and inside TLS."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.moq import MoqClient, local_queue, remote_queue
from support.myopenq.doors import HOST, client_of, port_of, serve
from support.processes.running_service import MakeService, wait_for
from support.tls.authority import Authority

SECRET = b"a secret of many bytes"


def passes_on(client: MoqClient, port: int) -> None:
    """Have a message go from a remote queue to a local one, by the door at a port."""
    client.create(local_queue("THERE"))
    client.create(remote_queue("AWAY", HOST, port, remote_name="THERE"))
    client.put("AWAY", b"two apples")
    assert client.get("THERE", 30) == b"two apples"
    wait_for("the end of the message", lambda: client.count("AWAY") == 0)


@pytest.mark.spec("M-093", "M-098")
def test_senders_have_the_secret_of_their_door(make_service: MakeService, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(SECRET)
    service = serve(make_service, tmp_path, f'mode = "framed"\nsecret_file = "{tmp_path / "secret"}"')
    with client_of(service, framed=True, secret=SECRET) as client:
        passes_on(client, port_of(service))


@pytest.mark.spec("M-098")
def test_senders_use_the_certificates_of_their_door(make_service: MakeService, tmp_path: Path) -> None:
    authority = Authority()
    own = authority.issue("CN=EARTH")
    (tmp_path / "own.pem").write_bytes(own.certificates_pem)
    (tmp_path / "own.key").touch(mode=0o600)
    (tmp_path / "own.key").write_bytes(own.key_pem)
    authority.trust_file(tmp_path / "known" / "trusted" / "authority.pem")
    certificates = f"tls = true\ncertificate = '{tmp_path}/own.pem'\nkey = '{tmp_path}/own.key'\n"
    service = serve(make_service, tmp_path, f"mode = 'framed'\n{certificates}authorities = '{tmp_path}/known'")
    both = authority.issue("CN=PROGRAM").save(tmp_path / "program.pem")
    trusted = str(authority.trust_file(tmp_path / "authority.pem"))
    with client_of(service, framed=True, trusted=trusted, certificate=str(both)) as client:
        passes_on(client, port_of(service))
        client.create(remote_queue("LOST", HOST, 1))
        client.put("LOST", b"x")
        wait_for("the failed call", lambda: "queue LOST is not sent to LOST at 127.0.0.1(1)" in service.log)
