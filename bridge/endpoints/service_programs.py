"""Programs of SERVICE objects: starting, watching and ending them (START SERVICE, STOP SERVICE).

A program runs as the queue manager's user, in a session of its own, without a shell, with empty standard input and in
the queue manager's folder. A service of SERVTYPE(SERVER) has one running program and a status; programs of
SERVTYPE(COMMAND) are not tracked. When the queue manager ends, all programs are ended except those of
CONTROL(STARTONLY): with STOPCMD if there is one, else with SIGTERM, finally with SIGKILL.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.agents.gateway.driver_interface import MQRCCF, ControlError, Definition, Kind, StatusRow, date_of

from .driver import Driver

MAX_PROGRAMS: Final = 100
"""Maximum number of running programs, STOPCMD included."""
LOOK_AFTER: Final = 0.25
"""Seconds between checks for ended programs."""
STARTED_WITH_US: Final = ("QMGR", "STARTONLY")
"""CONTROL values of services and listeners that start with the queue manager."""
_STAYS: Final = "STARTONLY"
_SHOWN: Final = ("CONTROL", "DESCR", "SERVTYPE", "STARTARG", "STARTCMD", "STDERR", "STDOUT", "STOPARG", "STOPCMD")


@dataclass(slots=True, eq=False)
class _Program:
    """A started program. ``service``: the definition at that time. ``server``: it is the server of the service."""

    service: Definition
    process: subprocess.Popen[bytes]
    server: bool
    since: float
    stopping: bool = False

    @property
    def stays(self) -> bool:
        """Whether it outlives the queue manager."""
        return self.service.text("CONTROL") == _STAYS

    def end(self, number: int) -> None:
        """Send a signal to the program and everything in its session."""
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            return


class ServicePrograms:
    """The programs of services. ``folder``: their working directory. See
    `bridge.agents.gateway.control.ServiceControl`."""

    def __init__(self, driver: Driver, folder: Path) -> None:
        self._driver = driver
        self._folder = folder
        self._programs: list[_Program] = []
        self._ended: dict[str, _Program] = {}
        self._timer: Any = None
        self._on_end: Callable[[], None] | None = None

    # Commands

    def start_service(self, service: Definition, now: float) -> None:
        """START SERVICE. Raises `ControlError` if it is running, or if its program cannot be run."""
        server = service.text("SERVTYPE") == "SERVER"
        if server and self._server(service.name) is not None:
            raise ControlError(f"service {service.name} is running", reason=MQRCCF.SERVICE_RUNNING)
        program = self._run(service, "START", now, server=server)
        self._ended.pop(service.name, None)
        self._driver.log("AMQ5028" if server else "AMQ5030", (service.name, program.process.pid))

    def stop_service(self, service: Definition, now: float) -> None:
        """STOP SERVICE: runs STOPCMD. Raises `ControlError` if no server is running, or if that program cannot be
        run."""
        running = self._server(service.name)
        if service.text("SERVTYPE") == "SERVER":
            if running is None:
                raise ControlError(f"service {service.name} is not running", reason=MQRCCF.SERVICE_STOPPED)
            if running.stopping:
                raise ControlError(f"service {service.name} is stopping", reason=MQRCCF.SERVICE_REQUEST_PENDING)
        self._run(service, "STOP", now, server=False)
        if running is not None:
            running.stopping = True

    def services(self, now: float) -> list[StatusRow]:
        """Rows of DISPLAY SVSTATUS: running servers, and ended ones that are still defined."""
        find = self._driver.gateway.manager.objects.find
        self._ended = {name: each for name, each in self._ended.items() if find(Kind.SERVICE, name) is not None}
        servers = [each for each in self._programs if each.server]
        return [*map(_row, servers), *(_row(each, ended=True) for each in self._ended.values())]

    # The queue manager's start and end

    def start_defined(self) -> None:
        """Start the services that start with the queue manager; failures are logged."""
        for service in self._driver.gateway.manager.objects.select(Kind.SERVICE):
            if service.text("CONTROL") in STARTED_WITH_US and service.text("STARTCMD"):
                try:
                    self.start_service(service, self._driver.now())
                except ControlError as error:
                    self._driver.log("AMQ5032", (service.name, str(error)))

    @property
    def quiet(self) -> bool:
        """Whether no program is left that ends with the queue manager."""
        return all(each.stays for each in self._programs)

    def quiesce(self, on_end: Callable[[], None]) -> None:
        """End all programs that do not stay; ``on_end`` is called whenever one has ended."""
        self._on_end = on_end
        objects = self._driver.gateway.manager.objects
        for service in objects.select(Kind.SERVICE):
            stopped_with_us = service.text("CONTROL") == "QMGR" or self._server(service.name) is not None
            if service.text("STOPCMD") and stopped_with_us and service.text("CONTROL") != _STAYS:
                try:
                    self.stop_service(service, self._driver.now())
                except ControlError:
                    continue
        for each in self._programs:
            if not each.stays and each.server and not each.stopping:
                each.stopping = True
                each.end(signal.SIGTERM)

    def kill(self) -> None:
        """Kill all programs that do not stay, and stop watching."""
        for each in self._programs:
            if not each.stays:
                each.end(signal.SIGKILL)
                each.process.wait()
        self._programs = [each for each in self._programs if each.stays]
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    # Programs

    def _server(self, name: str) -> _Program | None:
        self._look()
        return next((each for each in self._programs if each.server and each.service.name == name), None)

    def _run(self, service: Definition, which: str, now: float, *, server: bool) -> _Program:
        """Run STARTCMD or STOPCMD (``which``: START or STOP). Raises `ControlError`."""
        if len(self._programs) >= MAX_PROGRAMS:
            raise ControlError(f"{MAX_PROGRAMS} programs of services are running already")
        command = self._filled_in(service, f"{which}CMD")
        if not os.path.isabs(command):
            raise ControlError(
                f"{which}CMD of {service.name} is not an absolute path", reason=MQRCCF.PROGRAM_NOT_AVAILABLE
            )
        opened: list[int] = []
        try:
            arguments = shlex.split(self._filled_in(service, f"{which}ARG"))
            for keyword in ("STDOUT", "STDERR"):
                opened.append(self._opened(self._filled_in(service, keyword)))
            process = subprocess.Popen(
                [command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=opened[0],
                stderr=opened[1],
                cwd=self._folder,
                start_new_session=True,
            )
        except PermissionError as error:
            raise _refusal(service, error, MQRCCF.PROGRAM_AUTH_FAILED) from error
        except (OSError, ValueError) as error:
            raise _refusal(service, error, MQRCCF.PROGRAM_NOT_AVAILABLE) from error
        finally:
            for descriptor in opened:
                os.close(descriptor)
        program = _Program(service, process, server, now)
        self._programs.append(program)
        self._look_later()
        return program

    def _filled_in(self, service: Definition, keyword: str) -> str:
        """An attribute with its ``+inserts+`` replaced; unknown ones stay."""
        running = next((each for each in self._programs if each.server and each.service.name == service.name), None)
        known = {
            "QMNAME": self._driver.gateway.manager.name,
            "MQ_Q_MGR_DATA_PATH": str(self._folder),
            "MQ_SERVER_PID": str(running.process.pid) if running is not None else "0",
        }
        text = service.text(keyword)
        for word, value in known.items():
            text = text.replace(f"+{word}+", value)
        return text

    def _opened(self, path: str) -> int:
        """Open the file that a program's output is appended to, created if missing, or the null device. Returns a
        descriptor."""
        if not path:
            return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe nobody reads is an error
        descriptor = os.open(self._folder / path, flags, 0o640)
        os.set_blocking(descriptor, True)
        return descriptor

    def _look_later(self) -> None:
        if self._timer is None or not self._timer.active():
            self._timer = self._driver.reactor.callLater(LOOK_AFTER, self._looked)

    def _looked(self) -> None:
        self._look()
        if self._programs:
            self._look_later()

    def _look(self) -> None:
        """Check which programs have ended."""
        gone = [each for each in self._programs if each.process.poll() is not None]
        for each in gone:
            self._programs.remove(each)
            if each.server:
                self._ended[each.service.name] = each
                self._driver.log("AMQ5029", (each.service.name, each.process.pid, each.process.returncode))
        if gone and self._on_end is not None:
            self._on_end()


def _refusal(service: Definition, error: Exception, reason: int) -> ControlError:
    why = getattr(error, "strerror", None) or error
    where = getattr(error, "filename", None)
    return ControlError(f"service {service.name}: {f'{where}: ' if where else ''}{why}", reason=reason)


def _row(program: _Program, *, ended: bool = False) -> StatusRow:
    stamp = time.gmtime(date_of(program.since))
    return {
        "SERVICE": program.service.name,
        "STATUS": "STOPPED" if ended else "STOPPING" if program.stopping else "RUNNING",
        "PID": 0 if ended else program.process.pid,
        "STARTDA": time.strftime("%Y-%m-%d", stamp),
        "STARTTI": time.strftime("%H.%M.%S", stamp),
        **{keyword: program.service[keyword] for keyword in _SHOWN},
    }
