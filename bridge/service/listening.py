"""Opening the endpoints of a configuration, with failures that tell the operator what to do."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any

from twisted.internet.error import CannotListenError

from mqbridge.bridge.endpoints.opening import require_kind

from .errors import WRONG_CONFIGURATION, StartError


def check_endpoints(*endpoints: str) -> None:
    """Raise `StartError` for an endpoint string of a kind that there is not."""
    for endpoint in endpoints:
        try:
            require_kind(endpoint)
        except ValueError as error:
            raise _no_endpoint(endpoint, error) from error


async def listen(open_endpoint: Callable[[str], Any], endpoint: str) -> Any:
    """Await what opens an endpoint string. Raises `StartError`."""
    try:
        return await open_endpoint(endpoint)
    except CannotListenError as error:
        reason = error.socketError.strerror or str(error.socketError)
        is_taken = error.socketError.errno == errno.EADDRINUSE
        raise StartError(
            f"cannot listen on {endpoint}: {reason}; {'stop the program that has it, or ' if is_taken else ''}"
            "listen elsewhere, such as --listen tcp:1415:interface=127.0.0.1"
        ) from error
    except OSError as error:
        raise StartError(f"cannot listen on {endpoint}: {error.strerror or error}") from error
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise _no_endpoint(endpoint, error) from error


def _no_endpoint(endpoint: str, error: Exception) -> StartError:
    return StartError(f"{endpoint!r} is no endpoint: {error}", WRONG_CONFIGURATION)
