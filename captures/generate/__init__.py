"""Generation of captures with known truth: traffic of our own machines as packets, with faults on demand.

:class:`Scenario` describes a capture by plain values, :class:`Builder` takes conversations that can be edited line by
line. Both return a :class:`MadeCapture`: the packets, the file, and the :class:`Truth` about it.
"""

from __future__ import annotations

from mqbridge.captures.generate.channels import ChannelTraffic, channel_conversation
from mqbridge.captures.generate.clients import ClientTraffic, client_conversation
from mqbridge.captures.generate.conversation import End, MadeConnection, MadeConversation, MadeSegment
from mqbridge.captures.generate.faults import cut_file, duplicated, from_the_middle, lossy, reordered, without
from mqbridge.captures.generate.links import LinkType, packet_template
from mqbridge.captures.generate.packets import MadePacket, PacketBuilder
from mqbridge.captures.generate.replication import Replica, Written
from mqbridge.captures.generate.scenario import Builder, Case, MadeCapture, Noise, Scenario, capture_of
from mqbridge.captures.generate.truth import TrueFlow, TruePlace, TrueSegment, Truth

__all__ = [
    "Builder",
    "Case",
    "ChannelTraffic",
    "ClientTraffic",
    "End",
    "LinkType",
    "MadeCapture",
    "MadeConnection",
    "MadeConversation",
    "MadePacket",
    "MadeSegment",
    "Noise",
    "PacketBuilder",
    "Replica",
    "Scenario",
    "TrueFlow",
    "TruePlace",
    "TrueSegment",
    "Truth",
    "Written",
    "capture_of",
    "channel_conversation",
    "client_conversation",
    "cut_file",
    "duplicated",
    "from_the_middle",
    "lossy",
    "packet_template",
    "reordered",
    "without",
]
