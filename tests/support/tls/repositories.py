"""Key repositories of queue managers that trust each other."""

from __future__ import annotations

from pathlib import Path

from mqbridge.bridge.tls.contexts import TlsContexts
from mqbridge.bridge.tls.key_repository import KeyRepository

from .authority import Authority


def default_label(queue_manager: str) -> str:
    """The label of the certificate that a queue manager uses by default."""
    return f"ibmwebspheremq{queue_manager.lower()}"


def make_repository(folder: Path, authority: Authority, queue_manager: str) -> Path:
    """Write a key repository with one certificate, which an authority issues and which trusts that authority."""
    authority.issue(f"O=Space,CN={queue_manager}").save(folder / f"{default_label(queue_manager)}.pem")
    authority.trust_file(folder / "trusted" / "authority.pem")
    return folder


def sessions(folder: Path, *queue_managers: str) -> dict[str, TlsContexts]:
    """Sessions of queue managers with certificates of one authority, by name."""
    authority = Authority()
    return {
        name: TlsContexts(KeyRepository(make_repository(folder / name, authority, name)), default_label(name))
        for name in queue_managers
    }
