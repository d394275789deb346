"""Identities of messages from the provider that were put, for those that it delivers again after a reconnection.

A delivery is settled after its message is on disk; if the settlement does not arrive, the provider delivers the message
again on the next connection. Credit is given after the settlement, on the same connection; so when a delivery arrives,
all settlements before the credit that allowed it have arrived too, and at most a credit window of messages can come
again. Their identities, the digests of their bare messages, are kept: in table ``link-receiving``, a row (a page) for
each commit; key: link, NUL, address, NUL, number of the page in 16 hexadecimal digits; value: the digests, 32 bytes
each.

When the connection is lost, and after a restart, the pages become *earlier* ones. A delivery that equals one of them
is not put again; the identity moves to the newest page, since its settlement may be lost again. Each is used once, and
only after a reconnection, so a producer that sends several messages with one id loses none. Time without a connection
does not count: however long the provider is away, what it delivers again is known.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Final

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store, StoreDamaged
from mqbridge.mappings.moment import Time

TABLE: Final = "link-receiving"
DIGEST_LENGTH: Final = 32
_SEPARATOR: Final = "\0"


class _Page:
    """Identities of one commit. ``last``: number of the last delivery of it on its connection. ``at``: time of the
    commit. ``until``: when an earlier page is forgotten; None before the first connection after it."""

    __slots__ = ("at", "digests", "last", "number", "until")

    def __init__(self, number: int, digests: list[bytes], last: int = 0, at: float = 0.0) -> None:
        self.number = number
        self.digests = digests
        self.last = last
        self.at = at
        self.until: float | None = None


class Identities:
    """Identities of the messages of one address.

    ``remember``: seconds after a reconnection for which earlier ones are kept. ``linger``: seconds that the provider
    may take to write a settlement to its disk; until then a message may come again after its end. Raises
    ``StoreDamaged``.
    """

    __slots__ = (
        "_current",
        "_earlier",
        "_forget_at",
        "_known",
        "_linger",
        "_next",
        "_prefix",
        "_remember",
        "_store",
        "_used",
    )

    def __init__(self, link: str, address: str, remember: float, linger: float, store: Store) -> None:
        self._prefix = f"{link}{_SEPARATOR}{address}{_SEPARATOR}".encode()
        self._remember = remember
        self._linger = linger
        self._store = store
        self._current: deque[_Page] = deque()
        self._earlier: dict[int, _Page] = {}
        self._known: Counter[bytes] = Counter()
        self._used: set[int] = set()
        self._next = 0
        self._forget_at: float | None = None
        self.disconnected()

    def __len__(self) -> int:
        return self._known.total()

    def disconnected(self) -> None:
        """The connection is gone: all identities on disk are earlier ones. No commit is pending."""
        until = {number: page.until for number, page in self._earlier.items()}
        self._current.clear()
        self._earlier.clear()
        self._known.clear()
        self._used.clear()
        for key, value in self._store.records(TABLE):
            if key.startswith(self._prefix):
                self._load(key, value)
        for number, page in self._earlier.items():
            page.until = until.get(number)

    def connected(self, now: Time) -> None:
        """A new connection delivers from now on."""
        for page in self._earlier.values():
            if page.until is None:
                page.until = now + self._remember
        self._forget_at = min((page.until for page in self._earlier.values() if page.until is not None), default=None)

    def is_known(self, digest: bytes) -> bool:
        """Whether a delivery has an earlier identity; it is used up then, and must be committed with `commit`."""
        if not self._known.get(digest):
            return False
        self._known[digest] -= 1
        for page in self._earlier.values():
            if digest in page.digests:
                page.digests.remove(digest)
                self._used.add(page.number)
                break
        return True

    def commit(self, digests: list[bytes], last: int, settled: int, now: Time) -> list[Operation]:
        """Record deliveries, and forget what cannot come again; returns the rows to be committed with the messages.
        If the store refuses them, `disconnected` is called next.

        ``digests``: of these deliveries. ``last``: number of the last of them on this connection. ``settled``: number
        of the last delivery whose settlement has certainly arrived.
        """
        rows: list[Operation] = []
        if digests:
            self._next += 1
            self._current.append(_Page(self._next, digests, last, now))
            rows.append(self._put(self._current[-1]))
        while self._current and self._current[0].last <= settled and self._current[0].at <= now - self._linger:
            rows.append(RemoveRecord(TABLE, self._key(self._current.popleft().number)))
        if self._forget_at is not None and now >= self._forget_at:
            self._forget(now)
        for number in sorted(self._used):
            page = self._earlier[number]
            if page.digests:
                rows.append(self._put(page))
            else:
                del self._earlier[number]
                rows.append(RemoveRecord(TABLE, self._key(number)))
        self._used.clear()
        return rows

    def _forget(self, now: Time) -> None:
        """Let go of earlier pages whose time has come."""
        for number, page in self._earlier.items():
            if page.until is not None and page.until <= now:
                self._known.subtract(page.digests)
                page.digests.clear()
                self._used.add(number)
        self._known = +self._known
        left = [page.until for page in self._earlier.values() if page.digests and page.until is not None]
        self._forget_at = min(left, default=None)

    def _load(self, key: bytes, value: bytes) -> None:
        try:
            number = int(key[len(self._prefix) :], 16)
        except ValueError as error:
            raise StoreDamaged("a link's record cannot be read", f"{TABLE} {key!r}") from error
        if len(value) % DIGEST_LENGTH:
            raise StoreDamaged("a link's record cannot be read", f"{TABLE} {key!r}")
        digests = [value[start : start + DIGEST_LENGTH] for start in range(0, len(value), DIGEST_LENGTH)]
        self._earlier[number] = _Page(number, digests)
        self._known.update(digests)
        self._next = max(self._next, number)

    def _put(self, page: _Page) -> PutRecord:
        return PutRecord(TABLE, self._key(page.number), b"".join(page.digests))

    def _key(self, number: int) -> bytes:
        return self._prefix + b"%016x" % number
