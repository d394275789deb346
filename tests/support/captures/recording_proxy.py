"""``mqbridge record`` as a process in front of a queue manager."""

from __future__ import annotations

import re
import signal
from pathlib import Path

from support.processes.forked_starts import STARTS
from support.processes.running_service import clean_environment

LIMIT = 60.0


class Proxy:
    """One ``mqbridge record`` in front of a port."""

    def __init__(self, folder: Path, target: str, *options: str, listen: str = "tcp:0:interface=127.0.0.1") -> None:
        self.output = folder / "recorded.pcap"
        self.errors = folder / "proxy.errors"
        arguments = ["record", "--listen", listen, "--to", target, "--output", str(self.output), *options]
        with self.errors.open("wb") as errors:
            self.process = STARTS.launch(folder, arguments, clean_environment(), stderr=errors)
        assert self.process.stdout is not None
        self.greeting = self.process.stdout.readline().decode()
        match = re.search(r"\((\d+)\), passing on", self.greeting)
        self.port = int(match[1]) if match else 0

    def stop(self, number: int = signal.SIGINT) -> int:
        """End it; the exit status."""
        self.process.send_signal(number)
        self.process.communicate(timeout=LIMIT)
        return self.process.wait()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=LIMIT)
