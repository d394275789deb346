"""The client on a Twisted reactor: the calls of `QueueManager` as coroutines, to be awaited, or made Deferreds with
``Deferred.fromCoroutine``.

::

    async def main(reactor):
        qm = await connect(reactor, "mq://app@localhost/QM1?channel=DEV.APP.SVRCONN")
        await qm.put("DEV.QUEUE.1", "hello")
        message = await qm.get("DEV.QUEUE.1", wait=5)
        await qm.disconnect()

Calls of one connection are serialised; calls that must not wait for a pending get need a connection of their own.
"""

from __future__ import annotations

from .protocol import ClientProtocol
from .queue_manager import DeferredQueueManager, DeferredSubscription, connect

__all__ = ["ClientProtocol", "DeferredQueueManager", "DeferredSubscription", "connect"]
