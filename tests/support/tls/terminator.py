"""A TLS end in front of a plain port: ends TLS with Python's own ``ssl`` and passes plain bytes on."""

from __future__ import annotations

import asyncio
import ssl
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from support.tls.authority import Authority, Issued

PATIENCE = 30.0


def server_context(folder: Path, issued: Issued) -> ssl.SSLContext:
    """A server's context with a certificate; its key is written to the folder."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(issued.save(folder / "server.pem"))
    return context


def demand_certificate(context: ssl.SSLContext, authority: Authority) -> None:
    """Refuse callers without a certificate of this authority."""
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=ssl.DER_cert_to_PEM_cert(_der(authority)))


def revoke(context: ssl.SSLContext, folder: Path, authority: Authority, *issued: Issued) -> None:
    """Refuse callers whose certificates are revoked."""
    file = folder / "crl.pem"
    file.write_bytes(authority.revoke(*issued))
    context.load_verify_locations(file)
    context.verify_flags |= ssl.VerifyFlags.VERIFY_CRL_CHECK_LEAF


def _der(authority: Authority) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return authority.certificate.public_bytes(Encoding.DER)


class TlsTerminator:
    """Listens on loopback in a thread of its own, ``port``; as a context manager it ends at the end.

    ``server_names``, ``agreed``, ``peers``: SNI, (version, suite) and subject of each caller, None for what was not
    given. ``faults``: of handshakes and connections.
    """

    def __init__(self, context: ssl.SSLContext, target: tuple[str, int]) -> None:
        self.port = 0
        self.server_names: list[str | None] = []
        self.agreed: list[tuple[Any, ...]] = []
        self.peers: list[Any] = []
        self.faults: list[str] = []
        self._target = target
        self._context = context
        context.sni_callback = self._named
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="TLS terminator", daemon=True)

    def cut(self) -> None:
        """Cut all connections."""
        self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in self._tasks])

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _named(self, session: Any, name: str | None, context: ssl.SSLContext) -> None:
        self.server_names.append(name)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._end = asyncio.Event()
        self._loop.set_exception_handler(lambda _, told: self.faults.append(str(told.get("exception"))))
        server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        session = _Session(self._context, reader, writer)
        there = None
        try:
            self.agreed.append(await session.handshake())
            self.peers.append(session.peer)
            from_there, there = await asyncio.open_connection(*self._target)
            pumps = [
                asyncio.ensure_future(session.decrypt_to(there)),
                asyncio.ensure_future(session.encrypt(from_there)),
            ]
            _, others = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for other in others:
                other.cancel()
        except (OSError, asyncio.CancelledError) as error:
            self.faults.append(repr(error))
        finally:
            self._tasks.discard(task)
            for end in filter(None, (writer, there)):
                end.close()


class _Session:
    """The TLS end of one connection."""

    def __init__(self, context: ssl.SSLContext, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._session = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    @property
    def peer(self) -> Any:
        return self._session.getpeercert() or None

    async def handshake(self) -> tuple[Any, ...]:
        """Make the handshake; return version and suite."""
        while True:
            try:
                self._session.do_handshake()
            except ssl.SSLWantReadError:
                self._flush()
                self._incoming.write(await self._read())
            except ssl.SSLError:
                self._flush()  # an alert
                raise
            else:
                self._flush()
                suite = self._session.cipher()
                assert suite is not None
                return self._session.version(), suite[0]

    async def _read(self) -> bytes:
        data = await self._reader.read(1 << 16)
        if not data:
            raise ConnectionResetError
        return data

    def _flush(self) -> None:
        self._writer.write(self._outgoing.read())

    async def decrypt_to(self, there: asyncio.StreamWriter) -> None:
        """Pass on what the caller sends."""
        with suppress(OSError):
            while True:
                with suppress(ssl.SSLWantReadError):
                    while plain := self._session.read(1 << 16):
                        there.write(plain)
                self._flush()
                await there.drain()
                self._incoming.write(await self._read())

    async def encrypt(self, from_there: asyncio.StreamReader) -> None:
        """Pass on what the caller gets."""
        with suppress(OSError):
            while data := await from_there.read(1 << 16):
                self._session.write(data)
                self._flush()
                await self._writer.drain()
