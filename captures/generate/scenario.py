"""Captures with known truth from descriptions.

:class:`Scenario` is a description by plain values; :class:`Builder` takes connections one by one, which may be changed
before they become packets; both return a :class:`MadeCapture`. The same seed gives the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from random import Random
from typing import Final

from mqbridge.captures.generate.channels import ChannelTraffic, channel_conversation
from mqbridge.captures.generate.clients import ClientTraffic, client_conversation
from mqbridge.captures.generate.conversation import MadeConnection, MadeConversation
from mqbridge.captures.generate.faults import Fault, duplicated, from_the_middle, lossy, reordered
from mqbridge.captures.generate.links import LinkType
from mqbridge.captures.generate.packets import DEFAULT_SEGMENT_SIZE, MadePacket, PacketBuilder
from mqbridge.captures.generate.truth import Truth, truth_of
from mqbridge.captures.recording.recorder import PcapWriter
from mqbridge.captures.streams.flow_events import Endpoint

#: When made captures begin: 2026-01-01, 00:00 UTC.
START: Final = 1_767_225_600.0
_FIRST_PORT: Final = 49_152
_PORTS: Final = 16_000


@dataclass(slots=True, eq=False)
class MadeCapture:
    """Packets, and the truth about them. ``truth`` counts packets as in the file."""

    link: LinkType
    packets: list[MadePacket]
    truth: Truth
    edits: Sequence[Callable[[bytes], bytes]] = ()
    """Functions applied to the whole file."""
    keylog: str | None = None
    """Path of the key log file for the analysis."""

    @property
    def data(self) -> bytes:
        """The pcap file."""
        file = io.BytesIO()
        writer = PcapWriter(file, self.link.link_type)
        for packet in self.packets:
            writer.write(packet.data, packet.time)
        data = file.getvalue()
        for edit in self.edits:
            data = edit(data)
        return data

    def save(self, path: str | PathLike[str]) -> None:
        """Write the pcap file. Raises ``OSError`` if it cannot be written."""
        Path(path).write_bytes(self.data)


@dataclass(slots=True, kw_only=True)
class Noise:
    """Effects of a capture on packets that leave their content unchanged. Shares are between 0 and 1."""

    duplicate: float = 0.0
    reorder: float = 0.0

    def apply(self, packets: list[MadePacket], random: Random) -> list[MadePacket]:
        """Return packets as in such a capture."""
        if self.reorder:
            packets = reordered(packets, random, self.reorder)
        if self.duplicate:
            packets = duplicated(packets, random, self.duplicate)
        return packets


class Builder:
    """Collects connections and makes their packets.

    ``random``: of the seed, also for cases. ``size``: amount of traffic around the subject of a case, 1 or more.
    ``noise``, ``faults``: applied to the packets, in this order. ``keylog``: path of the key log file for the analysis.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        size: int = 1,
        link: LinkType = LinkType.ETHERNET,
        segment_size: int = DEFAULT_SEGMENT_SIZE,
        coalesce: bool = True,
        ipv6: bool = False,
        port: int = 1414,
        spread: float = 0.000_7,
        noise: Noise | None = None,
        faults: Sequence[Fault] = (),
    ) -> None:
        self.random = Random(seed)
        self.size = size
        self.link = link
        self.ipv6 = ipv6
        self.port = port
        self.spread = spread
        self.noise = noise or Noise()
        self.faults = list(faults)
        self.connections: list[MadeConnection] = []
        self.keylog: str | None = None
        self._edits: list[Callable[[bytes], bytes]] = []
        self._dresser = PacketBuilder(
            link, segment_size=segment_size, coalesce=coalesce, random=Random(self.random.getrandbits(64))
        )
        self._noise_random = Random(self.random.getrandbits(64))

    @property
    def now(self) -> float:
        """Start of the next connection."""
        return START + len(self.connections) * self.spread

    def channel(self, traffic: ChannelTraffic | None = None) -> MadeConversation:
        """Add a message channel; its conversation may be changed until :meth:`build`."""
        return self.add(channel_conversation(traffic or ChannelTraffic(), self.random, self.now))

    def client(self, traffic: ClientTraffic | None = None) -> MadeConversation:
        """Add a client, likewise."""
        return self.add(client_conversation(traffic or ClientTraffic(), self.random, self.now))

    def add(self, conversation: MadeConversation) -> MadeConversation:
        """Add a conversation and return it."""
        number = len(self.connections)
        host, port = divmod(number, _PORTS)
        addresses = f"fd00::1:{host + 1:x}" if self.ipv6 else f"10.1.{host >> 8}.{(host & 0xFF) + 1}"
        initiator = Endpoint(addresses, _FIRST_PORT + port)
        responder = Endpoint("fd00::2:1" if self.ipv6 else "10.2.0.1", self.port)
        self.connections.append(MadeConnection(initiator, responder, conversation))
        return conversation

    def spoil(self, edit: Callable[[bytes], bytes]) -> None:
        """Edit the whole file as the last step."""
        self._edits.append(edit)

    def build(self) -> MadeCapture:
        """Make packets, file and truth."""
        packets = self.noise.apply(self._dresser.dress(self.connections), self._noise_random)
        for fault in self.faults:
            packets = fault(packets)
        return MadeCapture(self.link, packets, truth_of(self.connections, packets), tuple(self._edits), self.keylog)


@dataclass(slots=True, kw_only=True)
class Scenario:
    """A capture by plain values.

    ``lose``: share of the packets with data that the capture lacks. ``late``: share of its beginning that it lacks.
    ``repeat``: number of repetitions of all traffic.
    """

    seed: int = 0
    channels: Sequence[ChannelTraffic] = field(default_factory=lambda: (ChannelTraffic(),))
    clients: Sequence[ClientTraffic] = field(default_factory=lambda: (ClientTraffic(),))
    repeat: int = 1
    link: LinkType = LinkType.ETHERNET
    segment_size: int = DEFAULT_SEGMENT_SIZE
    coalesce: bool = True
    ipv6: bool = False
    port: int = 1414
    spread: float = 0.000_7
    duplicate: float = 0.0
    reorder: float = 0.0
    lose: float = 0.0
    late: float = 0.0

    def builder(self) -> Builder:
        """Return a builder with all connections."""
        builder = Builder(
            self.seed,
            link=self.link,
            segment_size=self.segment_size,
            coalesce=self.coalesce,
            ipv6=self.ipv6,
            port=self.port,
            spread=self.spread,
            noise=Noise(duplicate=self.duplicate, reorder=self.reorder),
        )
        if self.lose:
            builder.faults.append(lambda packets: lossy(packets, Random(self.seed), self.lose))
        if self.late:
            builder.faults.append(lambda packets: from_the_middle(packets, self.late))
        for _ in range(self.repeat):
            for channel in self.channels:
                builder.channel(channel)
            for client in self.clients:
                builder.client(client)
        return builder

    def build(self) -> MadeCapture:
        """Return the capture."""
        return self.builder().build()


Make = Callable[[Builder], None]
"""Adds the connections of a case to a builder, and marks the place of the finding."""


@dataclass(frozen=True, slots=True)
class Case:
    """Traffic that breaks a rule, and the nearest lawful traffic."""

    positive: Make
    negative: Make


def capture_of(make: Make, seed: int = 0, *, size: int = 1, noise: Noise | None = None) -> MadeCapture:
    """Return the capture of one side of a case."""
    builder = Builder(seed, size=size, noise=noise)
    make(builder)
    return builder.build()
