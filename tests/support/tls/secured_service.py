"""Queue manager processes with certificates of an authority of the tests."""

from __future__ import annotations

from pathlib import Path

from support.processes.running_service import LOCAL_LISTENER, RunningService
from support.tls.authority import Authority
from support.tls.repositories import make_repository


def secured_service(
    folder: Path,
    authority: Authority,
    name: str = "EARTH",
    *,
    mqsc: str = "",
    settings: str = "",
    listen: str = LOCAL_LISTENER,
) -> RunningService:
    """A queue manager that has a certificate and trusts the authority, not started. ``settings``: a configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "queue-manager.toml"
    file.write_text(settings, encoding="utf-8")
    options = ("--config", str(file), "--store", "memory")
    service = RunningService(folder, name, mqsc=mqsc, listen=listen, options=options)
    service.data.mkdir(mode=0o700)
    make_repository(service.data / "ssl", authority, name)
    return service
