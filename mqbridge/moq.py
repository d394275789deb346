"""MyOpenQ for programs: the commands of its tools, over blocking sockets.

::

    from mqbridge import moq

    with moq.MoqClient("127.0.0.1", 9803) as server:
        server.create(moq.local_queue("ORDERS", size=100))
        server.put("ORDERS", b"two apples")
        print(server.get("ORDERS"))
"""

from mqbridge.bridge.client.myopenq import (
    DEFAULT_PORT,
    DEFAULT_SERVER,
    Access,
    MoqClient,
    Unreachable,
    local_queue,
    remote_queue,
)
from mqbridge.protocol.myopenq import Code, Create, MoqError, QueueType

__all__ = [
    "DEFAULT_PORT",
    "DEFAULT_SERVER",
    "Access",
    "Code",
    "Create",
    "MoqClient",
    "MoqError",
    "QueueType",
    "Unreachable",
    "local_queue",
    "remote_queue",
]
