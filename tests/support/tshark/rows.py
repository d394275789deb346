"""Rows that tshark writes of a capture: one for each packet, and one for each segment header in it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from support.tshark.run import TSHARK

_HEADER = ("seglength", "byteorder", "type", "cflags1", "cflags2", "luwid", "encoding", "ccsid")
_PACKET = ("frame.number", "frame.time_epoch", "frame.cap_len", "frame.len")
_ADDRESSES = ("ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport")
_OPTIONS = [
    *("-n", "-d", "tcp.port==1-65535,mq", "-o", "mq.reassembly:FALSE", "-o", "tcp.reassemble_out_of_order:TRUE"),
    *("-T", "fields", "-E", "occurrence=a"),
]


class TsharkPacket(NamedTuple):
    """``time``: as text with nine digits; ``length``: in the capture; ``original``: on the wire."""

    number: int
    time: str
    length: int
    original: int
    source: str
    destination: str
    headers: tuple[tuple[int | str, ...], ...]
    conversations: tuple[tuple[int, int], ...]


def tshark_rows(capture: Path) -> list[TsharkPacket]:
    """One row for each packet. ``headers``: of the segments that became whole in it: length, byte order, type, flags,
    LUWID, encoding, CCSID; ``conversations``: conversation and request id of those that have them."""
    if TSHARK is None:
        pytest.skip("tshark is not installed")
    names = [*_PACKET, *_ADDRESSES, *(f"mq.tsh.{name}" for name in _HEADER), "mq.tsh.convid", "mq.tsh.requestid"]
    command = [TSHARK, *_OPTIONS, "-r", str(capture), *(part for name in names for part in ("-e", name))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    rows = []
    for line in done.stdout.splitlines():
        columns = line.split("\t")
        number, time, length, original, v4, v6, port, to_v4, to_v6, to_port, *rest = columns
        *header, conversations, requests = [column.split(",") if column else [] for column in rest]
        rows.append(
            TsharkPacket(
                int(number),
                time,
                int(length),
                int(original),
                f"{v4 or v6} {port}",
                f"{to_v4 or to_v6} {to_port}",
                tuple(
                    tuple(value if name == "luwid" else int(value, 0) for name, value in zip(_HEADER, one, strict=True))
                    for one in zip(*header, strict=True)
                ),
                tuple((int(one, 0), int(other, 0)) for one, other in zip(conversations, requests, strict=True)),
            )
        )
    return rows
