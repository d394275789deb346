"""Debian's nginx and tinyproxy as processes of a test, in front of a gateway."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from support.processes.ports import free_port

# "sun:light" for nginx, in the form that every nginx understands.
PASSWORDS = "sun:{PLAIN}light\n"


class Program:
    """One process that listens on a port."""

    def __init__(self, folder: Path, name: str, arguments: list[str]) -> None:
        program = shutil.which(name) or shutil.which(f"/usr/sbin/{name}")
        if program is None:
            pytest.skip(f"{name} is not installed")
        with (folder / f"{name}.log").open("ab") as log:
            self.process = subprocess.Popen([program, *arguments], cwd=folder, stdout=log, stderr=log)

    def wait(self, port: int) -> None:
        until = time.monotonic() + 10
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            assert self.process.poll() is None, "it has ended"
            assert time.monotonic() < until, "it does not listen"
            time.sleep(0.02)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)


class Nginx(Program):
    """A web server that asks for user and password, and passes POSTs on to a gateway by HTTP/1.0 or 1.1.

    ``certificate``: a file with certificate and key; then it ends TLS.
    """

    def __init__(
        self,
        folder: Path,
        gateway: int,
        *,
        password: bool = True,
        version: str = "1.1",
        certificate: Path | None = None,
    ) -> None:
        self.port = free_port()
        folder.mkdir(exist_ok=True)
        secure, files = ("", "") if certificate is None else ("ssl", _files(certificate))
        (folder / "passwords").write_text(PASSWORDS, encoding="ascii")
        asks = 'auth_basic "devices"; auth_basic_user_file passwords;' if password else ""
        user = "user root;" if os.getuid() == 0 else ""
        keeps = 'proxy_set_header Connection "";' if version == "1.1" else ""
        (folder / "nginx.conf").write_text(
            f"""
            {user} daemon off; pid {folder}/nginx.pid; error_log stderr; worker_processes 1;
            events {{ worker_connections 256; }}
            http {{
                access_log off;
                client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
                uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
                client_max_body_size 4m;
                upstream gateway {{ server 127.0.0.1:{gateway}; keepalive 8; }}
                server {{
                    listen 127.0.0.1:{self.port} {secure}; {files}
                    location /servlet/MQe {{
                        {asks}
                        proxy_http_version {version}; {keeps}
                        proxy_pass http://gateway;
                    }}
                }}
            }}
            """,
            encoding="ascii",
        )
        super().__init__(folder, "nginx", ["-p", str(folder), "-c", str(folder / "nginx.conf")])
        self.wait(self.port)


def _files(certificate: Path) -> str:
    return f"ssl_certificate {certificate}; ssl_certificate_key {certificate};"


class Tinyproxy(Program):
    """A proxy that asks for user and password."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        (folder / "tinyproxy.conf").write_text(
            f"Port {self.port}\nListen 127.0.0.1\nTimeout 60\nAllow 127.0.0.1\nBasicAuth sun light\n"
            "MaxClients 50\nDisableViaHeader Yes\n",
            encoding="ascii",
        )
        super().__init__(folder, "tinyproxy", ["-d", "-c", str(folder / "tinyproxy.conf")])
        self.wait(self.port)
