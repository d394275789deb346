"""The program of a worker process: it imports a function and calls it with messages, one after the other.

``python -m mqbridge.bridge.step_workers.worker SOCKET PARENT MODULE:FUNCTION FOLDER…``. ``SOCKET``: number of the
descriptor on which frames come and go. ``PARENT``: id of the gateway's process, with which the worker ends. Folders are
searched for modules first. What functions print does not meet the frames.
"""

from __future__ import annotations

import ctypes
import fcntl
import importlib
import io
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from functools import reduce
from socket import socket
from typing import Any, Final

from mqbridge.bridge.client.message import Message
from mqbridge.mappings.message import Message as StoredMessage
from mqbridge.mappings.transformations import Limits
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError

from .frames import (
    FrameReader,
    FunctionFailed,
    Kind,
    failed_frame,
    frame,
    not_loaded_frame,
    read_call,
    result_frame,
)

LOOK_AFTER_PARENT: Final = 1.0
"""Seconds between looks whether the gateway still runs, where the system does not tell."""
_RECEIVED: Final = 1 << 18
"""Bytes received at once."""
_LONGEST: Final = 1 << 40
_HIGH: Final = 100
"""The socket gets a descriptor of at least this number, away from what functions open and close."""
_PR_SET_PDEATHSIG: Final = 1


class Rubbish(Exception):
    """What a function returned is no message."""


class TooMuch(Exception):
    """What a function returned is over the limits."""


def main() -> None:
    """Run the worker until the gateway closes the socket or ends."""
    number, parent, target, *folders = sys.argv[1:]
    end_with(int(parent))
    connection = socket(fileno=fcntl.fcntl(int(number), fcntl.F_DUPFD_CLOEXEC, _HIGH))
    os.close(int(number))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")
    sys.path[:0] = folders
    try:
        function = load(target)
    except BaseException as error:
        connection.sendall(not_loaded_frame(f"{target} cannot be loaded: {described(error)}"))
        return
    connection.sendall(frame(Kind.LOADED))
    serve(connection, target, function)


def end_with(parent: int) -> None:
    """Have this process killed when the gateway ends, however that ends."""
    try:
        told = sys.platform == "linux" and ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0
    except (OSError, AttributeError):
        told = False
    if os.getppid() != parent:
        os._exit(1)
    if not told:
        threading.Thread(target=_look_after, args=(parent,), name="parent", daemon=True).start()


def _look_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_AFTER_PARENT)
    os._exit(1)


def load(target: str) -> Callable[[Message], object]:
    """Import the module and return its function. Raises whatever the module raises; ``TypeError`` for no function."""
    name, _, path = target.partition(":")
    function: Any = reduce(getattr, path.split("."), importlib.import_module(name))
    if not callable(function):
        raise TypeError(f"{path} is no function")
    return function  # type: ignore[no-any-return]


def serve(connection: socket, target: str, function: Callable[[Message], object]) -> None:
    """Answer calls until the socket is closed."""
    reader = FrameReader()
    module = sys.modules[target.partition(":")[0]]
    while data := connection.recv(_RECEIVED):
        reader.feed(data)
        while (each := reader.next(_LONGEST)) is not None:
            stored, limits = read_call(each.payload)
            connection.sendall(answer(each.number, target, function, stored, limits, getattr(module, "__file__", None)))


def answer(
    number: int,
    target: str,
    function: Callable[[Message], object],
    stored: StoredMessage,
    limits: Limits,
    file: str | None = None,
) -> bytes:
    """Call the function with a message and return the frame that answers. ``file``: of its module."""
    try:
        return result_frame(number, messages_of(function(Message.of(stored)), limits))
    except Rubbish as error:
        return failed_frame(number, FunctionFailed(MQRC.API_EXIT_ERROR, f"{target} returned {error}"))
    except TooMuch as error:
        return failed_frame(number, FunctionFailed(MQRC.MSG_TOO_BIG_FOR_Q_MGR, f"{target} returned {error}"))
    except BaseException as error:
        text = f"{target} raised {described(error, file)}"
        return failed_frame(number, FunctionFailed(MQRC.API_EXIT_ERROR, text))


def messages_of(result: object, limits: Limits) -> list[StoredMessage]:
    """Return what a function returned as messages: none for None, one, or those of a list or generator.

    Raises `Rubbish` for anything else, `TooMuch` beyond the limits, and whatever a generator raises.
    """
    if result is None:
        return []
    if isinstance(result, Message):
        return [_checked(result, limits)]
    if isinstance(result, str | bytes | bytearray | Mapping) or not hasattr(result, "__iter__"):
        raise Rubbish(f"{type(result).__name__}, which is no message")
    made: list[StoredMessage] = []
    total = 0
    for each in result:
        if not isinstance(each, Message):
            raise Rubbish(f"{type(result).__name__} with {type(each).__name__}, which is no message")
        made.append(_checked(each, limits))
        total += len(made[-1].body)
        if len(made) > limits.messages:
            raise Rubbish(f"more than {limits.messages} messages")
        if total > limits.together:
            raise TooMuch(f"messages of more than {limits.together} bytes together")
    return made


def _checked(message: Message, limits: Limits) -> StoredMessage:
    try:
        stored = message.stored
        length = len(stored.body)
        complete = isinstance(stored.raw_md, bytes) and isinstance(stored.data, bytes)
    except (AttributeError, TypeError, MQBridgeError) as error:
        raise Rubbish(f"a message that cannot be sent: {type(error).__name__}") from error
    if not complete:
        raise Rubbish("a message whose data are no bytes")
    if length > limits.length:
        raise TooMuch(f"{length} bytes of data, {limits.length} are allowed")
    return stored


def described(error: BaseException, file: str | None = None) -> str:
    """Return the type of an exception and the line that it comes from, preferably of a file. Its text may quote data
    and is left out, but for imports."""
    frames = traceback.extract_tb(error.__traceback__)
    there = [each for each in frames if each.filename == file] or frames
    place = f" at {os.path.basename(there[-1].filename)}, line {there[-1].lineno}" if there else ""
    text = f" ({error})" if isinstance(error, ImportError | AttributeError) and file is None else ""
    return f"{type(error).__name__}{place}{text}"


if __name__ == "__main__":
    main()
