"""The verdict on what passed: `mqbridge replay` reads the capture while it is being made, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from typing import Any, BinaryIO, Final

from screen import Screen

PATIENCE: Final = 120.0
"""Seconds that the judge may take after the last packet."""
SHOWN: Final = 5


class Judge:
    """Hears everything through `file`, a pipe that takes a capture, and says at the end what is wrong with it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mqbridge", "replay", "--json", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the demo, which ends it
        )
        assert self._process.stdin is not None
        self.file: BinaryIO = self._process.stdin  # type: ignore[assignment]

    def verdict(self, screen: Screen) -> bool:
        """Says it; whether there is no error."""
        try:
            with contextlib.suppress(BrokenPipeError):
                self.file.flush()
            out, _ = self._process.communicate(timeout=PATIENCE)
            found: dict[str, Any] = json.loads(out)
        except (ValueError, OSError, subprocess.TimeoutExpired) as failure:
            screen.say(f"[red]What passed could not be judged: {failure!r}[/red]")
            return False
        errors = [finding for finding in found["findings"] if finding["severity"] == "error"]
        what = (
            f"{found['segments']:,} segments with {found['messages']:,} messages on {len(found['flows'])} connections"
        )
        if not errors:
            screen.say(f"[green]What passed was judged by the rules of mqbridge replay: {what}, no error.[/green]")
            return True
        screen.say(f"[red]What passed was judged by the rules of mqbridge replay: {what}, {len(errors)} errors.[/red]")
        for finding in errors[:SHOWN]:
            screen.say(
                f"  {finding['rule']} {finding['title']} (flow {finding['flow']}, packet {finding['packet']}):"
                f" expected {finding['expected']}, seen {finding['seen']}"
            )
        return False

    def close(self) -> None:
        """Ends it, whatever it is at."""
        if self._process.poll() is None:
            self._process.kill()
        with contextlib.suppress(OSError, ValueError):
            self._process.communicate(timeout=PATIENCE)
