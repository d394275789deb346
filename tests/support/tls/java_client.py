"""IBM's Java clients inside TLS: one JVM that connects as often as it is told, each time with other certificates."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

from support.processes import java_programs
from support.tls.authority import Issued

STORE_PASSWORD = b"changeit"
ANSWER_LIMIT = 120.0
VERSIONS = {"javax": "9.4.3", "jakarta": "9.4.5 (Jakarta)", "jakarta10": "10.0.0 (Jakarta)"}
"""Versions of IBM's libraries by module of ``tests/interop/java``."""


def trust_store(file: Path, *certificates: x509.Certificate) -> Path:
    """A trust store as keytool makes it, with these authorities."""
    entries = [pkcs12.PKCS12Certificate(each, b"ca%d" % number) for number, each in enumerate(certificates)]
    file.write_bytes(pkcs12.serialize_java_truststore(entries, BestAvailableEncryption(STORE_PASSWORD)))
    return file


def key_store(file: Path, issued: Issued) -> Path:
    """A key store with a certificate, its key and its chain."""
    protection = BestAvailableEncryption(STORE_PASSWORD)
    store = pkcs12.serialize_key_and_certificates(
        b"client", issued.key, issued.certificate, issued.chain or None, protection
    )
    file.write_bytes(store)
    return file


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attempt. ``reason``: IBM's reason code, 0 for none; ``text``: the failures in words."""

    reason: int
    text: str = ""


class JavaTlsClient:
    """A JVM with one generation of IBM's libraries. ``api``: java or jms; ``options`` are the JVM's own."""

    def __init__(self, generation: str, api: str, folder: Path, options: Sequence[str] = ()) -> None:
        java_programs.build()
        self.api = api
        folder.mkdir(parents=True, exist_ok=True)
        program, *rest = java_programs.java(java_programs.PROJECT / generation)
        own = ["-Dcom.ibm.mq.cfg.useIBMCipherMappings=false", *options]
        with (folder / "errors").open("wb") as errors:
            self.process = subprocess.Popen(
                [program, *own, *rest, "mqbridge.checks.TlsCalls"],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def connect(self, **wish: object) -> Outcome:
        """Connect once, do what is wished, and disconnect; keys as in ``TlsCalls``."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        given = {"api": self.api, **wish}
        self.process.stdin.write("\t".join(f"{key}={value}" for key, value in given.items()) + "\n")
        self.process.stdin.flush()
        guard = threading.Timer(ANSWER_LIMIT, self.process.kill)
        guard.start()
        try:
            for line in self.process.stdout:
                if line.startswith("outcome "):
                    reason, _, text = line.removeprefix("outcome ").strip().partition(" ")
                    return Outcome(int(reason), text)
        finally:
            guard.cancel()
        raise AssertionError("the Java client ended")

    def close(self) -> None:
        """End the JVM."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@contextmanager
def java_client(generation: str, api: str, folder: Path, options: Sequence[str] = ()) -> Iterator[JavaTlsClient]:
    """A client that is ended whatever happens."""
    client = JavaTlsClient(generation, api, folder, options)
    try:
        yield client
    finally:
        client.close()
