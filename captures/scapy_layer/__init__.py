"""MQ layers for scapy, made from the wire grammars: ``from mqbridge.captures.scapy_layer import MQ``.

Importing binds MQ to TCP port 1414, and to every other TCP payload that begins with a segment header and that no
other layer claims. Names of layers and fields are IBM's; each structure is importable by its name::

    packet.show()                                       the segments of a TCP payload, one behind the other
    sniff(offline="mq.pcap", session=TCPSession)        segments that cross packets, reassembled
    MQ(SegmentType=4) / MSH(SequenceNumber=1) / XQH(RemoteQName="Q") / MD() / b"data"       lengths are computed

``MQLayer`` is the base of all bodies; bytes without a layout are ``MQData``. Passwords are never shown.
"""

from __future__ import annotations

try:
    import scapy  # noqa: F401
except ImportError as error:
    raise ImportError(
        "mqbridge.captures.scapy_layer needs scapy, which is not installed: pip install 'mqbridge[scapy]'"
    ) from error

from typing import Any

from mqbridge.captures.scapy_layer.layers import LAYERS, MQLayer
from mqbridge.captures.scapy_layer.segments import MQ, MQData, begins_segment, bind

bind()

__all__ = ["LAYERS", "MQ", "MQData", "MQLayer", "begins_segment", *LAYERS]


def __getattr__(name: str) -> Any:
    """Return the layer of a structure by its name."""
    try:
        return LAYERS[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no layer {name!r}") from None
