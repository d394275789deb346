"""The gateway's file of definitions: applied at the start once after each change of it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Final

from twisted.internet.defer import Deferred

from mqbridge.bridge.agents.everyplace.administering import Administering
from mqbridge.bridge.config import EveryplaceSettings
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.everyplace.administration.actions import Action, ReturnCode
from mqbridge.bridge.everyplace.administration.requests import Request
from mqbridge.bridge.store.interface import PutRecord, Store
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import EveryplaceError

from .errors import WRONG_CONFIGURATION, StartError

TABLE: Final = "everyplace-gateway"
MAX_SIZE: Final = 1 << 20
"""Longest file in bytes."""
_KEY: Final = b"definitions"
_WAIT: Final = 30.0
"""Seconds for the reply to one request."""
_LOOK: Final = 0.01


async def apply_definitions(
    settings: EveryplaceSettings, store: Store, driver: Driver, administering: Administering
) -> None:
    """Apply the file, if it has changed since it was applied last.

    Its requests are obeyed in order. What it creates and is there already is passed over, with a line in the log.
    Raises `StartError` for a request that fails; those in front of it have been obeyed.
    """
    file = settings.definitions
    if file is None:
        return
    content = _read(settings, file)
    digest = hashlib.sha256(content).digest()
    if store.record(TABLE, _KEY) == digest:
        return
    try:
        requests = administering.requests(content.decode("utf-8-sig"))
    except (EveryplaceError, UnicodeDecodeError) as error:
        raise _wrong(settings, f"{file}: {error}") from error
    for request in requests:
        reply = await _obeyed(settings, request, driver, administering)
        if reply["code"] == ReturnCode.SUCCESS:
            continue
        if request.action is Action.CREATE and "there is a " in reply["text"]:
            driver.log("AMQ5037", (f"{request} ({file})",))
            continue
        raise _wrong(settings, f"{file}: [{request}]: {' '.join(reply['text'].split())}")
    driver.gateway.manager.submit([PutRecord(TABLE, _KEY, digest)])
    driver.pump()


def _read(settings: EveryplaceSettings, file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_SIZE + 1)
    except OSError as error:
        raise _wrong(settings, f"{file} cannot be read: {error.strerror or error}") from error
    if len(content) > MAX_SIZE:
        raise _wrong(settings, f"{file} is longer than {MAX_SIZE} bytes; is it a file of definitions?")
    return content


async def _obeyed(
    settings: EveryplaceSettings, request: Request, driver: Driver, administering: Administering
) -> dict[str, Any]:
    """Send a request to the gateway, and return the reply. Raises `StartError`."""
    sent: Deferred[int | Refused] = Deferred()
    administering.send(request, driver.now(), sent.callback)
    driver.pump()
    number = await sent
    if isinstance(number, Refused):
        raise _wrong(settings, f"[{request}]: {number.text}")
    until = driver.reactor.seconds() + _WAIT
    while driver.reactor.seconds() < until:
        found: Deferred[list[dict[str, Any]] | Refused] = Deferred()
        administering.replies(driver.now(), found.callback)
        driver.pump()
        rows = await found
        for row in rows if isinstance(rows, list) else []:
            if row["request"] == number:
                gone: Deferred[Refused | None] = Deferred()
                administering.forget(number, driver.now(), gone.callback)
                driver.pump()
                await gone
                return row
        pause: Deferred[None] = Deferred()
        driver.reactor.callLater(_LOOK, pause.callback, None)
        await pause
    raise _wrong(settings, f"[{request}]: no reply came within {_WAIT:g} seconds")


def _wrong(settings: EveryplaceSettings, problem: str) -> StartError:
    return StartError(str(settings.place.error("definitions", problem)), WRONG_CONFIGURATION)
