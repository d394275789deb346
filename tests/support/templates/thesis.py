"""The packets of the thesis (tests/vectors/thesis), and the protocols that are shipped."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from mqbridge.bridge.config.protocol_files import shipped_protocol
from mqbridge.mappings.templates import Context, Counters, Protocol, Values

THESIS = Path(__file__).parents[2] / "vectors" / "thesis"
NOW = 1_700_000_000.0


def packets() -> dict[str, bytes]:
    """Bytes by the number and name of the file."""
    found = {}
    for file in sorted(THESIS.glob("*.hex")):
        lines = file.read_text(encoding="utf-8").splitlines()
        found[file.stem] = bytes.fromhex(" ".join(line for line in lines if not line.startswith("#")))
    return found


@cache
def shipped(name: str) -> Protocol:
    """A shipped protocol, read once."""
    return shipped_protocol(name)


def context(request: Values | None = None, seed: int = 1, now: float = NOW) -> Context:
    """A context of its own: counters begin at their first numbers."""
    return Context(now, random.Random(seed), Counters(), request)


def shipped_text(name: str) -> str:
    """The description of a shipped protocol."""
    folder = Path(__file__).parents[3] / "mappings" / "templates" / "shipped"
    return (folder / f"{name}.toml").read_text(encoding="utf-8")
