"""Decryption of TLS connections of a capture by tshark.

tshark writes every decrypted record as a packet of a file of its own ("exported PDU", LINKTYPE 252): tags with both
ends and the packet of the capture that completed the record, then the decrypted bytes. Sessions are decrypted only if
the capture contains their handshake, and a key log or the capture their keys. tshark uses keys of a capture only from
their position on, so it gets all of them beforehand.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from ipaddress import ip_address
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from mqbridge.captures.errors import DecryptionError
from mqbridge.captures.reading.packets import PacketReader
from mqbridge.captures.reading.unpacking import ByteSource

#: Seconds that tshark may take over one capture.
DECRYPTION_TIME_LIMIT: Final = 3600

LINKTYPE_EXPORTED_PDU: Final = 252

_PROGRAM: Final = "tshark"
# Any port may carry TLS; its content is read here, record by record.
_OPTIONS: Final = [
    *("-n", "--disable-protocol", "mq", "-d", "tcp.port==1-65535,tls", "-d", "tls.port==1-65535,data"),
    *("-o", "tcp.desegment_tcp_streams:TRUE", "-o", "tcp.reassemble_out_of_order:TRUE"),
    *("-o", "tls.desegment_ssl_records:TRUE", "-U", "OSI layer 7"),
]
_CAPTURE: Final = "capture"
_KEYS: Final = "keys.log"
_EXPORTED: Final = "clear.pcapng"
_CONFIGURATION: Final = "configuration"

_END, _IPV4_SOURCE, _IPV4_TARGET, _IPV6_SOURCE, _IPV6_TARGET = 0, 20, 21, 22, 23
_SOURCE_PORT, _TARGET_PORT, _PACKET = 25, 26, 30


class ClearPiece(NamedTuple):
    """Decrypted bytes of one record. ``packet``: the packet of the capture that completed it; addresses as text."""

    packet: int
    source: tuple[str, int]
    destination: tuple[str, int]
    data: bytes


def find_tshark() -> str:
    """Return the path of tshark. Raises :class:`~captures.errors.DecryptionError` if it is not installed."""
    program = shutil.which(_PROGRAM)
    if program is None:
        raise DecryptionError("tshark, which decrypts TLS, is not installed")
    return program


def unpack_for_tshark(source: BinaryIO, folder: Path) -> Path:
    """Copy an open capture, unpacked, to a file that tshark can read, and return its path."""
    path = folder / _CAPTURE
    packed = ByteSource(source)
    with path.open("wb") as file:
        while piece := packed.read():
            file.write(piece)
    return path


def decrypt(
    capture: str | PathLike[str], keylog: str | PathLike[str] | None, folder: Path, embedded: bytes = b""
) -> Path:
    """Let tshark write what it can decrypt into ``folder``; return the path of that file.

    ``keylog``: a file as written by browsers, Java agents and ``ssl.SSLContext.keylog_filename`` (NSS key log format).
    ``embedded``: more lines of that kind. Raises :class:`~captures.errors.DecryptionError` if tshark is not installed
    or fails, or if there is no such key log.
    """
    program = find_tshark()
    keys, exported = folder / _KEYS, folder / _EXPORTED
    try:
        with keys.open("wb") as gathered:  # under a name without special characters for tshark
            gathered.write(embedded)
            if keylog is not None:
                with open(keylog, "rb") as given:
                    shutil.copyfileobj(given, gathered)
    except OSError as error:
        raise DecryptionError(f"the key log file cannot be read: {error.strerror or error}") from error
    (folder / _CONFIGURATION).mkdir(exist_ok=True)
    command = [program, *_OPTIONS, "-o", f"tls.keylog_file:{keys}", "-r", os.fspath(capture), "-w", str(exported)]
    environment = {**os.environ, "WIRESHARK_CONFIG_DIR": str(folder / _CONFIGURATION), "LC_ALL": "C"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=DECRYPTION_TIME_LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DecryptionError(f"tshark cannot be run: {error}") from error
    finally:
        keys.unlink()
    # At a cut capture tshark fails after writing everything before the cut.
    if done.returncode and not (exported.exists() and exported.stat().st_size):
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise DecryptionError(f"tshark ended with {done.returncode}: {lines[-1] if lines else 'no word'}")
    return exported


def read_clear_pieces(file: BinaryIO) -> Iterator[ClearPiece]:
    """Yield the records in a file written by :func:`decrypt`, in the order of the packets that completed them."""
    for packet in PacketReader(file):
        if packet.link_type == LINKTYPE_EXPORTED_PDU and (piece := _piece(packet.data)) is not None:
            yield piece


def _piece(data: bytes) -> ClearPiece | None:
    tags: dict[int, bytes] = {}
    position = 0
    while position + 4 <= len(data):
        tag, length = struct.unpack_from(">HH", data, position)
        tags[tag] = data[position + 4 : position + 4 + length]
        position += 4 + length
        if tag == _END:
            break
    try:
        source = str(ip_address(tags.get(_IPV4_SOURCE) or tags[_IPV6_SOURCE])), _number(tags[_SOURCE_PORT])
        target = str(ip_address(tags.get(_IPV4_TARGET) or tags[_IPV6_TARGET])), _number(tags[_TARGET_PORT])
        return ClearPiece(_number(tags[_PACKET]), source, target, data[position:])
    except (KeyError, ValueError):
        return None


def _number(value: bytes) -> int:
    return int.from_bytes(value, "big")
