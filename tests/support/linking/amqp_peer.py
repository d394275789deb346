"""A small AMQP 1.0 provider on a real socket, in a thread: proton's engine, queues in memory, ids of duplicates."""

from __future__ import annotations

import select
import socket
import threading
from collections import defaultdict, deque
from pathlib import Path
from typing import Any

import proton

from . import amqp_bytes

CREDIT = 100


class AmqpPeer:
    """The provider. ``queues``: encoded messages by address; ``arrived``: bodies by address, those sent twice once.

    ``cut_at_transfers``: how many transfers of the link it keeps before it drops the connection without an answer;
    ``cut_at_settlements``: the same for settlements of the link, of which it forgets the last. Each happens once.
    ``doubled``: how many messages came again with the same id.

    ``path``: of a Unix socket to listen on instead of a free port. ``passwords``: of users, who then must sign on
    by SASL PLAIN; ``refusals`` counts those who could not. ``max_message``: the longest message that it takes, 0 for
    any. ``refused``: conditions with which it refuses addresses. ``asleep``: while it is set, nothing is read.
    """

    def __init__(
        self,
        *,
        path: Path | None = None,
        passwords: dict[str, str] | None = None,
        max_message: int = 0,
        refused: dict[str, str] | None = None,
    ) -> None:
        if path is None:
            self._listening = socket.create_server(("127.0.0.1", 0))
            self.port = self._listening.getsockname()[1]
        else:
            self._listening = socket.create_server(str(path), family=socket.AF_UNIX)  # type: ignore[arg-type]
        self.passwords = passwords or {}
        self.refusals = 0
        self.max_message = max_message
        self.refused = refused or {}
        self.queues: defaultdict[str, deque[bytes]] = defaultdict(deque)
        self.arrived: defaultdict[str, list[Any]] = defaultdict(list)
        self.messages: list[proton.Message] = []
        self.connections = self.doubled = self.transfers = self.settlements = 0
        self.cut_at_transfers: int | None = None
        self.cut_at_settlements: int | None = None
        self.asleep = threading.Event()
        self._ids: set[tuple[str, str]] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def produce(self, address: str, body: str, identifier: str) -> None:
        """A program of the provider sends a message."""
        message = proton.Message(body=body, id=identifier, durable=True)
        self.queues[address].append(message.encode())

    def close(self) -> None:
        """End the thread and its sockets."""
        self._ended.set()
        self._thread.join(10)
        self._listening.close()

    def _run(self) -> None:
        while not self._ended.is_set():
            if select.select([self._listening], [], [], 0.05)[0]:
                connected, _ = self._listening.accept()
                self.connections += 1
                with connected:
                    _Served(self, connected, self._ended).run()

    def take(self, address: str, encoded: bytes) -> None:
        """Keep a message, unless its id is known."""
        message = proton.Message()
        message.decode(encoded)
        identifier = (message.properties or {}).get("_AMQ_DUPL_ID")
        if identifier is not None and (address, identifier) in self._ids:
            self.doubled += 1
            return
        if identifier is not None:
            self._ids.add((address, identifier))
        self.messages.append(message)
        self.arrived[address].append(message.body)


class _Served:
    """One connection. ``run`` returns when it is over; what was not settled is back at its queue then."""

    def __init__(self, peer: AmqpPeer, connected: socket.socket, ended: threading.Event) -> None:
        self._peer = peer
        self._socket = connected
        self._ended = ended
        self._transport = proton.Transport(proton.Transport.SERVER)
        if not peer.passwords:
            self._transport.sasl().allowed_mechs("ANONYMOUS")
        self._connection = proton.Connection()
        self._connection.container = "peer"
        self._collector = proton.Collector()
        self._connection.collect(self._collector)
        self._transport.bind(self._connection)
        self._senders: list[Any] = []
        self._unsettled: dict[str, tuple[str, bytes]] = {}
        self._tag = 0
        self._cut = False

    def run(self) -> None:
        """Serve until the connection ends."""
        try:
            if self._peer.passwords and not self._sign_on():
                return
            while not self._ended.is_set() and not self._cut:
                if self._peer.asleep.is_set():
                    self._ended.wait(0.005)
                    continue
                if select.select([self._socket], [], [], 0.005)[0]:
                    data = self._socket.recv(65536)
                    if not data:
                        return
                    self._push(data)
                self._send_messages()
                self._work()
                if self._cut or not self._write():
                    return
        except (OSError, proton.ProtonException):
            pass
        finally:
            for address, encoded in reversed(list(self._unsettled.values())):
                self._peer.queues[address].appendleft(encoded)

    def _sign_on(self) -> bool:
        """SASL PLAIN by hand: proton's server refuses it."""
        start = amqp_bytes.performative(amqp_bytes.MECHANISMS, amqp_bytes.symbols("PLAIN"))
        self._socket.sendall(amqp_bytes.SASL_HEADER + amqp_bytes.frame(start, kind=1))
        self._socket.settimeout(10)
        said = b""
        while len(said) < 12 or len(said) < 8 + int.from_bytes(said[8:12], "big"):
            if not (data := self._socket.recv(4096)):
                return False
            said += data
        known = any(f"\0{user}\0{word}".encode() in said for user, word in self._peer.passwords.items())
        outcome = amqp_bytes.performative(amqp_bytes.OUTCOME, amqp_bytes.ubyte(0 if known else 1))
        self._socket.sendall(amqp_bytes.frame(outcome, kind=1))
        self._peer.refusals += not known
        return known

    def _push(self, data: bytes) -> None:
        while data:
            capacity = self._transport.capacity()
            if capacity <= 0:
                return
            self._transport.push(data[:capacity])
            data = data[capacity:]
            self._work()

    def _write(self) -> bool:
        while (pending := self._transport.pending()) > 0:
            part = self._transport.peek(pending)
            self._socket.sendall(part)
            self._transport.pop(len(part))
        return self._transport.pending() >= 0

    def _work(self) -> None:
        while not self._cut and (event := self._collector.peek()) is not None:
            name = event.type.name
            if name == "PN_CONNECTION_REMOTE_OPEN":
                event.connection.open()
            elif name == "PN_SESSION_REMOTE_OPEN":
                event.session.open()
            elif name == "PN_LINK_REMOTE_OPEN":
                self._attach(event.link)
            elif name == "PN_DELIVERY":
                self._delivery(event.delivery)
            elif name in ("PN_CONNECTION_REMOTE_CLOSE", "PN_SESSION_REMOTE_CLOSE", "PN_LINK_REMOTE_CLOSE"):
                event.context.close()
            self._collector.pop()

    def _attach(self, link: Any) -> None:
        refusal = self._peer.refused.get((link.remote_source if link.is_sender else link.remote_target).address)
        if refusal is not None:
            link.open()
            link.condition = proton.Condition(refusal, "not here")
            link.close()
            return
        link.source.copy(link.remote_source)
        link.target.copy(link.remote_target)
        link.max_message_size = self._peer.max_message
        link.open()
        if link.is_sender:
            self._senders.append(link)
        else:
            link.flow(CREDIT)

    def _delivery(self, delivery: Any) -> None:
        link, peer = delivery.link, self._peer
        if link.is_receiver:
            if delivery.partial or not delivery.readable:
                return
            peer.take(link.target.address, link.recv(delivery.pending))
            link.advance()
            peer.transfers += 1
            if peer.transfers == peer.cut_at_transfers:
                self._cut = True
                return
            delivery.update(proton.Delivery.ACCEPTED)
            delivery.settle()
            link.flow(1)
        elif delivery.updated and delivery.settled:
            peer.settlements += 1
            if peer.settlements == peer.cut_at_settlements:
                self._cut = True
                return
            address, encoded = self._unsettled.pop(delivery.tag)
            if delivery.remote_state not in (proton.Delivery.ACCEPTED, proton.Delivery.REJECTED):
                peer.queues[address].appendleft(encoded)
            delivery.settle()

    def _send_messages(self) -> None:
        for link in self._senders:
            waiting = self._peer.queues[link.source.address]
            while waiting and link.credit > 0:
                self._tag += 1
                tag, encoded = str(self._tag), waiting.popleft()
                self._unsettled[tag] = link.source.address, encoded
                link.delivery(tag)
                link.stream(encoded)
                link.advance()
