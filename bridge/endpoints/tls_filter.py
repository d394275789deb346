"""The lower face of TLS at a socket: the protocol of the socket's transport, and a producer for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from twisted.internet.error import ConnectionAborted, ConnectionDone, ConnectionLost
from twisted.internet.interfaces import IPullProducer
from twisted.python.failure import Failure
from zope.interface import implementer

from mqbridge.bridge.tls import TlsError

from .addresses import can
from .tls_sessions import Session

ALERT_LINGER: Final = 2.0
"""Seconds for which a connection whose session has failed is still read, and the bytes discarded, so that the partner
gets our alert before a reset."""
BUFFER_SIZE: Final = 1 << 16
"""Bytes of ciphertext not taken by the kernel above which a push producer is paused, and above which a partner is not
read that makes the session answer without reading the answers."""


class UpperFace(Protocol):
    """What the filter tells the transport of the upper protocol. ``paused``: the upper protocol does not read."""

    paused: bool

    def drained(self) -> None:
        """The kernel has taken all ciphertext."""
        ...

    def closed(self) -> None:
        """The socket is closed."""
        ...


@implementer(IPullProducer)
class TlsFilter:
    """Carries bytes between a socket's transport ``raw`` and a session, and plain ones to ``upper``.

    ``waiting``: bytes of ciphertext that the kernel has not taken; an upper bound while it is not zero.
    """

    __slots__ = (
        "_at_once", "_deaf", "_established", "_face", "_handshaking", "_held", "_reactor", "_reason", "_spoken",
        "_timer", "lost", "open", "raw", "session", "upper", "waiting",
    )  # fmt: skip

    def __init__(
        self, raw: Any, session: Session, reactor: Any, face: UpperFace, established: Callable[[], Any] | None
    ) -> None:
        self.raw = raw
        self.session = session
        self._reactor = reactor
        self._face: UpperFace | None = face
        self._established = established
        self._at_once = can(raw, "writeSomeData")
        self.upper: Any = None
        self.waiting = 0
        self.open = self.lost = False
        """Whether plain bytes can be written; whether the socket is closed."""
        self._handshaking = True
        self._deaf = self._held = self._spoken = False
        self._reason: Failure | None = None
        self._timer: Any = None

    def begin(self, upper: Any, within: float | None = None) -> None:
        """Take the place of the socket's protocol. ``within``: seconds until the handshake must be over."""
        self.upper = upper
        raw = self.raw
        raw.protocol = self
        raw.registerProducer(self, False)
        if within is not None:
            self._timer = self._reactor.callLater(within, raw.abortConnection)

    # Reading

    def dataReceived(self, data: bytes) -> None:
        """Decrypt what the socket has received. No bytes begin a caller's handshake."""
        if self._deaf:
            return
        session = self.session
        try:
            plain = session.receive_data(data)
        except TlsError as error:
            self._fail(error)
            if error.received and not self._handshaking and self.upper is not None:
                self.upper.dataReceived(error.received)
            return
        if self._handshaking:
            self._answer()
            if session.agreed is None:
                return
            self._agreed()
        self._spoken = False
        if plain:
            self.upper.dataReceived(plain)
        if self.open and not self._spoken:
            self._answer()
        if session.ended and not self._deaf and not self.lost:
            self._partner_ended()

    def _agreed(self) -> None:
        """The handshake is over."""
        self._handshaking = False
        self.open = True
        self._forget_timer()
        established, self._established = self._established, None
        if established is not None:
            self.upper = established()

    def _answer(self) -> None:
        """Send what the session itself has to say; a partner that does not take it is not read."""
        if answer := self.session.data_to_send():
            self.send(answer)
        if self.waiting > BUFFER_SIZE and not self._held:
            self._held = True
            self.raw.pauseProducing()

    def read_on(self) -> None:
        """Read, unless answers of the session wait."""
        if not self._held:
            self.raw.resumeProducing()

    # Writing

    def encrypt(self, data: bytes) -> bytes:
        """The ciphertext for plain bytes; none if the session fails."""
        try:
            self.session.write(data)
        except TlsError as error:
            self._fail(error)
            return b""
        self._spoken = True
        return self.session.data_to_send()

    def send(self, ciphertext: bytes) -> bool:
        """Write at once; returns whether the kernel has taken everything, also what was written before."""
        now = bool(ciphertext) and self._at_once and not self.waiting
        taken: Any = self.raw.writeSomeData(ciphertext) if now else 0
        if not isinstance(taken, int):  # lost: the reactor finds that out when it writes
            taken = 0
        if taken < len(ciphertext):
            self.queue(ciphertext[taken:])
        return not self.waiting

    def queue(self, ciphertext: bytes) -> None:
        """Write in the reactor's next iteration."""
        if ciphertext:
            self.waiting += len(ciphertext)
            self.raw.write(ciphertext)

    def resumeProducing(self) -> None:
        """The kernel has taken all ciphertext."""
        self.waiting = 0
        face = self._face
        if face is None:
            return
        if self._held:
            self._held = False
            if not face.paused:
                self.raw.resumeProducing()
        if self.open:
            face.drained()

    def stopProducing(self) -> None:
        """The socket is closed; `connectionLost` follows."""

    # Ending

    def finish(self) -> None:
        """Send close_notify after everything else."""
        self.open = False
        self.session.close()
        self.send(self.session.data_to_send())
        self.raw.unregisterProducer()

    def close(self, *, half: bool) -> None:
        """End what we send, after all that was written; unless ``half``, close the connection then. Before the end of
        the handshake there is nothing to end, and the connection is aborted."""
        if self.open:
            self.finish()
        elif self._deaf:  # it closes already
            return
        elif self._handshaking:
            self.raw.abortConnection()
            return
        if not half:
            self.raw.loseConnection()
        elif can(self.raw, "loseWriteConnection"):
            self.raw.loseWriteConnection()

    def _partner_ended(self) -> None:
        """Close the connection, as when a plain partner closes its own; what the kernel has not taken is dropped."""
        self._deaf = True
        self._reason = Failure(ConnectionDone())
        if self.open:
            self.finish()
        if self.waiting:
            self.raw.abortConnection()
        else:
            self.raw.loseConnection()

    def _fail(self, error: TlsError) -> None:
        """Send the session's alert, if it has one, then close. The upper protocol gets the error when the socket is
        closed."""
        self._deaf = True
        self.open = False
        self._forget_timer()
        if self.session.closed:  # we have closed: nobody waits for what the partner says now
            self.raw.abortConnection()
            return
        self._reason = _failure(error)
        alert = self.session.data_to_send()
        raw = self.raw
        raw.unregisterProducer()
        if not alert and not self.waiting:  # the partner has ended the session, and knows why
            raw.loseConnection()
            return
        self.queue(alert)
        raw.resumeProducing()
        if can(raw, "loseWriteConnection"):
            raw.loseWriteConnection()
        self._timer = self._reactor.callLater(ALERT_LINGER, raw.abortConnection)

    def connectionLost(self, reason: Failure) -> None:
        """The socket is closed. The reason for the upper protocol is `TlsError` after a failure of TLS and an end in
        the handshake, `ConnectionDone` only after a close_notify of either end."""
        if self.lost:
            return
        self.lost = self._deaf = True
        self.open = False
        self._forget_timer()
        if self._reason is not None:
            reason = self._reason
        elif (self._handshaking or reason.check(ConnectionDone)) and not reason.check(ConnectionAborted):
            reason = self._unannounced(reason)
        face, upper = self._face, self.upper
        self._face = self.upper = self._established = None  # nothing is left to the garbage collector
        if face is not None:
            face.closed()
        upper.connectionLost(reason)

    def _unannounced(self, reason: Failure) -> Failure:
        """Why the connection ended, if the partner has not told the end."""
        if self.session.closed:
            return reason
        try:
            self.session.receive_end()
        except TlsError as error:
            return _failure(error) if self._handshaking else Failure(ConnectionLost(str(error)))
        return reason

    def _forget_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()


def _failure(error: TlsError) -> Failure:
    """An error without the frames that it came through: they hold the session, and so would the garbage collector."""
    error.__context__ = error.__cause__ = None
    return Failure(error.with_traceback(None))
