"""Runs tshark on a capture and gives the MQ segments it sees as plain data. tshark is the independent decoder."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import pytest

from mqbridge.captures import Endpoint

TSHARK = shutil.which("tshark")

needs_tshark = pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")

TIMEOUT = 300
"""Seconds that one run may take."""

# Every port is taken for MQ: what tshark's own tables say of a client's port must not matter.
_OPTIONS = ["-n", "-d", "tcp.port==1-65535,mq", "-o"]
_PROTOCOLS = "mq tcp ip ipv6 _ws.malformed _ws.unreassembled"
_PARAMETER = " MQPrm["  # how the title of a PCF parameter begins
# Lines that repeat all bytes of a packet in hexadecimal: nobody looks at them, and they are most of the output.
_BULK = re.compile(rb' *<field name="(tcp\.payload|tcp\.pdu\.size|tcp\.segment_data|data\.data)" ')
_STREAMED = re.compile(r"(ASYNC_MESSAGE) .*, SegLen=")
_ERROR = 0x800000  # expert severity from which on something is wrong


@dataclass(slots=True)
class Leaf:
    """One field: tshark's filter name, the value as shown, the bytes in hexadecimal."""

    name: str
    show: str
    value: str
    size: int


@dataclass(slots=True)
class Group:
    """One structure. ``title`` as tshark shows it, ``offset`` and ``size`` in the segment, its fields in order."""

    title: str
    offset: int
    size: int
    leaves: list[Leaf] = field(default_factory=list)


@dataclass(slots=True)
class TsharkSegment:
    """One segment as tshark sees it. ``marks``: complaints about it, malformed and expert errors."""

    frame: int
    source: Endpoint
    target: Endpoint
    kind: str
    length: int
    groups: list[Group] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)


def tshark_segments(capture: Path, *, streamed: bool = False) -> Iterator[TsharkSegment]:
    """Give the segments in the order in which they became whole. Raises RuntimeError when tshark fails.

    ``streamed``: the segments of ASYNC_MESSAGE, which tshark shows only where it puts messages together, or all
    others, which it shows one by one only where it does not.
    """
    if TSHARK is None:
        pytest.skip("tshark is not installed")
    reassembly = f"mq.reassembly:{str(streamed).upper()}"
    command = [TSHARK, *_OPTIONS, reassembly, "-r", str(capture), "-Y", "mq", "-T", "pdml", "-J", _PROTOCOLS]
    with (
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints) as process,
    ):
        assert process.stdout is not None
        try:
            for packet in _packets(process.stdout):
                yield from _segments(packet, streamed)
            status = process.wait(TIMEOUT)
        finally:
            process.kill()
        if status != 0:
            complaints.seek(0)
            raise RuntimeError(f"tshark ended with {status}: {complaints.read()}")


def _packets(pdml: IO[bytes]) -> Iterator[ElementTree.Element]:
    parser = ElementTree.XMLPullParser(("start", "end"))
    root = None
    for line in pdml:
        if _BULK.match(line) and line.endswith(b"/>\n"):
            continue
        parser.feed(line)
        for event, element in parser.read_events():
            if event == "start":
                root = element if root is None else root
            elif element.tag == "packet":
                yield element
                assert root is not None
                root.clear()


def _segments(packet: ElementTree.Element, streamed: bool) -> list[TsharkSegment]:
    protocols = packet.findall("proto")
    frame = int(_field(protocols, "num", "show"))
    address = "ipv6" if any(proto.get("name") == "ipv6" for proto in protocols) else "ip"
    source, target = (
        Endpoint(_field(protocols, f"{address}.{end}", "show"), int(_field(protocols, f"tcp.{port}", "show")))
        for end, port in (("src", "srcport"), ("dst", "dstport"))
    )
    found: list[TsharkSegment] = []
    for proto in protocols:
        name, title = proto.get("name", ""), proto.get("showname", "")
        if name == "mq" and streamed and not _STREAMED.search(title):
            continue
        if name == "mq":
            kind = _STREAMED.search(title) or re.search(r"\(([A-Z][^()]*(?:\(0x[0-9a-f]+\))?)\)", title)
            segment = TsharkSegment(frame, source, target, kind[1] if kind else title, int(proto.get("size", "0")))
            start = int(proto.get("pos", "0"))
            for child in proto:
                _collect(child, start, segment)
            found.append(segment)
        elif name.startswith("_ws.") and found:
            found[-1].marks.append(title or name)
    return found


def _collect(element: ElementTree.Element, start: int, segment: TsharkSegment) -> None:
    """Take a structure, or a protocol inside (PCF) that holds several."""
    if element.get("name") == "mqpcf":
        for child in element:
            _collect(child, start, segment)
    elif element.get("name") == "":
        group = Group(element.get("show", ""), int(element.get("pos", "0")) - start, int(element.get("size", "0")))
        segment.groups.append(group)
        _fill(element, group, segment, start)
    elif element.get("name", "").startswith("_ws."):
        segment.marks += _complaints(element)


def _fill(element: ElementTree.Element, group: Group, segment: TsharkSegment, start: int) -> None:
    for child in element:
        name = child.get("name", "")
        if name.startswith("_ws."):
            segment.marks += _complaints(child)
        elif name:
            leaf = Leaf(name, child.get("show", ""), child.get("value", ""), int(child.get("size", "0")))
            group.leaves.append(leaf)
            segment.marks += [
                mark for inner in child if inner.get("name", "").startswith("_ws.") for mark in _complaints(inner)
            ]
        elif child.get("show", "").startswith(_PARAMETER):  # inside a group of PCF parameters
            _collect(child, start, segment)
        else:
            _fill(child, group, segment, start)


def _complaints(element: ElementTree.Element) -> list[str]:
    """What an expert mark says, when it is an error."""
    severity = next(
        (int(field.get("show", "0"), 0) for field in element if field.get("name") == "_ws.expert.severity"), _ERROR
    )
    return [element.get("showname", "")] if severity >= _ERROR else []


def _field(protocols: list[ElementTree.Element], name: str, attribute: str) -> str:
    for proto in protocols:
        for one in proto.iter("field"):
            if one.get("name") == name:
                return one.get(attribute, "")
    raise ValueError(f"tshark shows no {name}")
