"""A worker process and its pipes on a reactor."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

from .output import UserOutput

PROGRAM: Final = "mqbridge.bridge.step_workers.worker"
END_WAIT: Final = 5.0
"""Seconds that a killed process may take to be gone when the gateway ends."""
_RECEIVED: Final = 1 << 18
"""Bytes received at once."""


class ProcessUser(Protocol):
    """What a process tells."""

    def received(self, data: bytes) -> None:
        """Bytes have come from the process."""
        ...

    def gone(self) -> None:
        """It has ended, or has closed its socket. Called once, and not after `WorkerProcess.kill`."""
        ...


class WorkerProcess:
    """A process of `worker`. ``say`` gets each line that the function prints. Raises ``OSError`` if it cannot be
    started."""

    def __init__(
        self, reactor: Any, target: str, folders: Sequence[str], user: ProcessUser, say: Callable[[str], None]
    ) -> None:
        ours, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", PROGRAM, str(theirs.fileno()), str(os.getpid()), target, *folders],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self._user = user
        self._socket = _Socket(reactor, ours, user.received, self._ended)
        assert self._process.stdout is not None
        self._output = _Output(reactor, self._process.stdout, UserOutput(say, reactor.seconds))
        self._killed = False

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def send(self, data: bytes) -> None:
        """Send bytes to the process; what it does not take yet is kept."""
        self._socket.send(data)

    def send_soon(self, data: bytes) -> None:
        """Send bytes to the process with all others of this turn of the reactor."""
        self._socket.send_soon(data)

    def kill(self) -> None:
        """Kill the process; `is_gone` tells when it is gone."""
        if not self._killed:
            self._killed = True
            self._socket.close()
            self._output.close()
            self._process.kill()

    def is_gone(self) -> bool:
        """Whether the system has nothing more of the process."""
        return self._process.poll() is not None

    def wait(self) -> None:
        """Wait until it is gone, `END_WAIT` at most."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_WAIT)

    def _ended(self) -> None:
        """The socket is closed: end what is left of the process."""
        if not self._killed:
            self._output.drain()
            self.kill()
            self._user.gone()


class _Socket:
    """The gateway's end of the socket: an ``IReadWriteDescriptor`` of Twisted."""

    def __init__(
        self, reactor: Any, end: socket.socket, received: Callable[[bytes], None], closed: Callable[[], None]
    ) -> None:
        self._reactor = reactor
        self._end = end
        self._received = received
        self._closed = closed
        self._unsent = bytearray()
        self._open = True
        end.setblocking(False)
        reactor.addReader(self)

    def send(self, data: bytes) -> None:
        """Send now what the socket takes, and the rest later."""
        if not self._open:
            return
        if not self._unsent:
            data = data[self._sent(data) :]
        if data and self._open:
            self._unsent += data
            self._reactor.addWriter(self)

    def send_soon(self, data: bytes) -> None:
        """Send in the next turn of the reactor."""
        if self._open:
            if not self._unsent:
                self._reactor.addWriter(self)
            self._unsent += data

    def _sent(self, data: bytes | bytearray) -> int:
        try:
            return self._end.send(data)
        except BlockingIOError:
            return 0
        except OSError:  # the process has ended, which the next read shows
            return len(data)

    def close(self) -> None:
        """Close it; nothing is told."""
        if self._open:
            self._open = False
            self._unsent.clear()
            self._reactor.removeReader(self)
            self._reactor.removeWriter(self)
            self._end.close()

    def fileno(self) -> int:
        """See ``IFileDescriptor``."""
        return self._end.fileno()

    def doRead(self) -> None:
        """See ``IReadDescriptor``."""
        try:
            data = self._end.recv(_RECEIVED)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._received(data)
        else:
            self._closed()

    def doWrite(self) -> None:
        """See ``IWriteDescriptor``."""
        del self._unsent[: self._sent(self._unsent)]
        if not self._unsent:
            self._reactor.removeWriter(self)

    def connectionLost(self, reason: object) -> None:
        """See ``IFileDescriptor``."""
        if self._open:
            self._closed()

    def logPrefix(self) -> str:
        """See ``ILoggingContext``."""
        return "step worker"


class _Output:
    """Standard output and standard error of the process, read as long as it runs: an ``IReadDescriptor``."""

    def __init__(self, reactor: Any, pipe: Any, output: UserOutput) -> None:
        self._reactor = reactor
        self._pipe = pipe
        self._output = output
        os.set_blocking(pipe.fileno(), False)
        reactor.addReader(self)

    def close(self) -> None:
        """Read no more."""
        if not self._pipe.closed:
            self._reactor.removeReader(self)
            self._pipe.close()
            self._output.end()

    def drain(self) -> None:
        """Read what there is, within a limit."""
        for _ in range(4):
            self.doRead()

    def fileno(self) -> int:
        """See ``IFileDescriptor``."""
        return -1 if self._pipe.closed else int(self._pipe.fileno())

    def doRead(self) -> None:
        """See ``IReadDescriptor``."""
        if self._pipe.closed:
            return
        try:
            data = os.read(self._pipe.fileno(), 1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._output.feed(data)
        else:
            self.close()

    def connectionLost(self, reason: object) -> None:
        """See ``IFileDescriptor``."""
        self.close()

    def logPrefix(self) -> str:
        """See ``ILoggingContext``."""
        return "step output"
