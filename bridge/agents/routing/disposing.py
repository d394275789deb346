"""The request that puts a message which a route cannot carry on its error or dead-letter queue."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.calls.agent_requests import DisposeUndelivered

from .definitions import RouteDefinition
from .failures import Failure
from .works import Work


def disposal(
    work: Work, failure: Failure, definition: RouteDefinition, destination: tuple[str, str], tag: int = 0
) -> DisposeUndelivered:
    """Return the request for the message as it was got; a work with a token also leaves its queue.

    ``destination``: queue and queue manager that the MQDLH names.
    """
    message = work.message
    return DisposeUndelivered(
        tag,
        *destination,
        message.raw_md,
        message.body,
        message.order,
        message.ccsid,
        failure.reason,
        use_dead_letter_queue=True,
        fast=False,
        user=definition.user,
        token=work.token,
        dead_letter_queue=definition.error,
    )
