"""A stand-in for MQSeries that follows the dialogue of the thesis, byte by byte and with nothing of the templates."""

from __future__ import annotations


class Receiver:
    """The queue manager that takes messages: start, answer, message, confirm (myopenq.md 12.2, M-155 to M-158).

    A message is taken if the one before was confirmed; any other ends the connection.
    """

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.closed = False
        self._confirmed = True
        self._data = bytearray()

    def receive(self, data: bytes) -> bytes:
        """Return what it answers."""
        self._data += data
        answers = b""
        while not self.closed and len(self._data) >= 8 and len(self._data) >= int.from_bytes(self._data[4:8], "big"):
            length = int.from_bytes(self._data[4:8], "big")
            packet = bytes(self._data[:length])
            del self._data[:length]
            answers += self._packet(packet)
        return answers

    def _packet(self, packet: bytes) -> bytes:
        assert packet[:4] == b"TSH "
        kind = packet[8:10]
        if kind == b"\x02\x01":
            return packet[:10] + b"\0" + packet[11:76] + b"QM_cmolina".ljust(48) + packet[124:]
        if kind == b"\x02\x05":
            assert packet[10] == 1
            self._confirmed = True
            return packet[:10] + b"\0" + packet[11:]
        if not self._confirmed:
            self.closed = True
            return b""
        length = int.from_bytes(packet[36:40], "little")
        assert int.from_bytes(packet[44:48], "little") == 428 + length
        self.taken.append(packet[476 : 476 + length])
        self._confirmed = False
        return b""
