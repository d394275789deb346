"""``mqbridge decode``: what bytes on the wire, messages or captures hold, as a tree of text or as JSON."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from mqbridge.bridge.plug_ins import try_formats
from mqbridge.captures import CaptureFlows, Flow, NotRead, SegmentFault, StreamKind, is_capture, read_segments
from mqbridge.captures.reading.unpacking import ByteSource, is_packed
from mqbridge.mappings.rfh2 import read_folder
from mqbridge.protocol.chain import HEADER_FORMATS, walk_unknown
from mqbridge.protocol.dissection import (
    Findings,
    SegmentStream,
    begins_message,
    begins_segment,
    dissect_message,
    dissect_segment,
    message_lines,
    segment_lines,
)
from mqbridge.protocol.dissection.hex_text import HexPiece, HexTextError, is_hex_text, read_hex_text

from .decode_described import decode_described
from .decode_views import VIEWS, MessageViews
from .ending import interruptions

MAX_UNPACKED: Final = 256 << 20
"""Limit of a compressed input's unpacked size in bytes, unless it is a capture."""

_ENOUGH_TO_JUDGE: Final = 4
_OTHER_TRAFFIC: Final = (NotRead.NOT_IP, NotRead.NOT_TCP)  # nothing is missed by not reading it

Shown = dict[str, Any]


@click.command("decode")
@click.option(
    "--as",
    "form",
    type=click.Choice(["auto", "segments", "message"]),
    default="auto",
    show_default=True,
    help="What the bytes are: segments of a connection, or one message (MQMD or a header first).",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of a tree.")
@click.option(
    "--view",
    "views",
    type=click.Choice(VIEWS),
    multiple=True,
    help="Show the message also as JMS has it, or as a tree. May be repeated.",
)
@click.option("--ccsid", type=int, metavar="N", help="Code page of a message without MQMD.")
@click.option("--encoding", type=int, metavar="N", help="Numeric encoding of a message without MQMD.")
@click.option("--format", "message_format", metavar="F", help="Format of a message without MQMD, such as MQHRF2.")
@click.option(
    "--keylog",
    type=click.Path(exists=True, dir_okay=False, readable=True),
    metavar="FILE",
    help="Keys of TLS connections in a capture, as SSLKEYLOGFILE has them; needs tshark.",
)
@click.option(
    "--protocol",
    type=click.Path(path_type=Path),
    metavar="TOML",
    help="Description of another protocol than MQ, by which connections are read (docs/partners.md).",
)
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="With --protocol: port of the responder.")
@click.argument("file", type=click.File("rb"))
@click.pass_context
def command(
    context: click.Context,
    form: str,
    as_json: bool,
    ccsid: int | None,
    encoding: int | None,
    message_format: str | None,
    keylog: str | None,
    views: tuple[str, ...],
    protocol: Path | None,
    port: int | None,
    file: BinaryIO,
) -> None:
    """Show what bytes on the wire, messages or captures hold.

    FILE, or - for standard input, holds hexadecimal text (lines with #, C> and S> allowed), raw bytes, or a pcap or
    pcapng capture; any of them may be compressed with gzip or zstd. Passwords are not shown.
    """
    with interruptions():
        description = {"ccsid": ccsid, "encoding": encoding, "message_format": message_format}
        if port is not None and protocol is None:
            raise click.UsageError("--port goes with --protocol: segments of MQ are found on any port")
        if protocol is not None:
            complete = decode_described(protocol, file, port, keylog, as_json=as_json)
        else:
            complete = _decode(form, as_json, description, keylog, views, file.read())
    if not complete:
        context.exit(1)


def _decode(
    form: str,
    as_json: bool,
    description: dict[str, Any],
    keylog: str | None,
    views: tuple[str, ...],
    data: bytes,
) -> bool:
    """Write the decoded bytes; return whether all of them could be decoded. ``description``: values of a missing
    descriptor."""
    formats, faults = try_formats()
    findings = Findings(read_folder=_folder_values, formats=formats)
    findings.warnings += map(str, faults)
    message: Shown | None = None
    beside: MessageViews | None = None
    segments: Iterator[Shown] = iter(())
    if _holds_capture(data):
        segments = _of_capture(data, keylog, findings)
    else:
        pieces = _pieces(data, findings)
        if form == "auto" and pieces:
            form = _judged(pieces[0].data, description["message_format"], findings)
        if form == "segments":
            segments = _of_pieces(pieces, findings)
        elif form == "message" and pieces:
            whole = b"".join(piece.data for piece in pieces)
            if description["encoding"] is None and description["message_format"] in HEADER_FORMATS:
                description = {**description, "encoding": _encoding_of(whole)}
            message = dissect_message(whole, findings, **description)
            beside = MessageViews(views, whole, findings, **description)
    if views and beside is None and not findings.errors:
        findings.errors.append("--view shows a message, and this is none; --as message says that it is")
    if as_json:
        _write_json(message, beside, segments, findings)
    else:
        _write_text(message, beside, segments, findings)
    return not findings.errors


def _encoding_of(data: bytes) -> int | None:
    """Return the encoding of the header that a message begins with, as its version shows it."""
    links = walk_unknown(data).links
    return links[0].header.record.ORDER.encoding if links else None


def _holds_capture(data: bytes) -> bool:
    if is_packed(data[:_ENOUGH_TO_JUDGE]):
        data = ByteSource(io.BytesIO(data)).read()
    head = data[:_ENOUGH_TO_JUDGE]
    return len(head) == _ENOUGH_TO_JUDGE and is_capture(head) and not is_packed(head)


def _of_capture(data: bytes, keylog: str | None, findings: Findings) -> Iterator[Shown]:
    capture = read_segments(io.BytesIO(data), keylog)
    nothing = True
    for found in capture:
        nothing = False
        place = f"flow {found.flow.id}, {found.direction.value}"
        if isinstance(found, SegmentFault):
            about = _about_tls(found.flow) if found.flow.kind is StreamKind.TLS else ""
            findings.errors.append(f"{place}, offset {found.offset}: {found.reason} ({found.length} bytes{about})")
            continue
        inner = findings.separate()
        shown = dissect_segment(found.segment, inner, offset=found.offset, direction=found.direction.value)
        findings.take(inner, place)
        yield {**shown, "flow": found.flow.id, "packet": found.packet, "time": found.time}
    _conclude(capture.flows, findings, nothing)


def _conclude(flows: CaptureFlows, findings: Findings, nothing: bool) -> None:
    """Report what could not be read from a capture."""
    findings.errors += [f"capture: {error}" for error in (flows.decryption_error, flows.error) if error is not None]
    for reason, count in sorted(flows.unread.items(), key=lambda item: item[0].value):
        if reason not in _OTHER_TRAFFIC:
            findings.warnings.append(f"packets not read: {count} ({reason.value})")
    if nothing and not findings.errors:
        findings.warnings.append(f"no MQ segment was found (packets: {flows.packets})")


def _about_tls(flow: Flow) -> str:
    hello = flow.tls
    known = [] if hello is None else [hello.version, hello.server_name and f"server name {hello.server_name}"]
    return "".join(f", {one}" for one in known if one)


def _pieces(data: bytes, findings: Findings) -> list[HexPiece]:
    """Return the bytes of an input that is not a capture."""
    if is_packed(data[:_ENOUGH_TO_JUDGE]):
        data = _unpacked(data, findings)
    pieces = [HexPiece(1, None, data)] if data else []
    if is_hex_text(data):
        pieces = []
        try:
            pieces.extend(read_hex_text(data))
        except HexTextError as error:
            findings.errors.append(str(error))
    if not pieces and not findings.errors:
        findings.errors.append("the input is empty")
    return pieces


def _unpacked(data: bytes, findings: Findings) -> bytes:
    source = ByteSource(io.BytesIO(data))
    pieces: list[bytes] = []
    length = 0
    while length <= MAX_UNPACKED and (piece := source.read()):
        pieces.append(piece)
        length += len(piece)
    if length > MAX_UNPACKED:
        findings.errors.append(f"the input unpacks to more than {MAX_UNPACKED} bytes")
    elif source.fault is not None:
        findings.errors.append(source.fault)
    return b"".join(pieces)[:MAX_UNPACKED]


def _folder_values(text: str) -> list[Shown]:
    """Return the values of an RFH2 folder; numbers that JSON lacks become text."""
    shown = []
    for found in read_folder(text).values:
        odd = isinstance(found.value, float) and not math.isfinite(found.value)
        shown.append({"name": found.name, "type": found.type, "value": str(found.value) if odd else found.value})
    return shown


def _judged(data: bytes, message_format: str | None, findings: Findings) -> str:
    if begins_segment(data):
        return "segments"
    if message_format is not None or begins_message(data):
        return "message"
    findings.errors.append(f"offset 0: {data[:4].hex()} begins neither a segment nor a message; --as says which it is")
    return ""


def _of_pieces(pieces: list[HexPiece], findings: Findings) -> Iterator[Shown]:
    connection = 0
    streams: dict[str | None, SegmentStream] = {}
    for piece in pieces:
        if piece.connection != connection:
            yield from _finished(streams)
            connection, streams = piece.connection, {}
        if piece.direction not in streams:
            streams[piece.direction] = SegmentStream(findings, piece.direction)
        yield from streams[piece.direction].feed(piece.data)
    yield from _finished(streams)


def _finished(streams: dict[str | None, SegmentStream]) -> Iterator[Shown]:
    for stream in streams.values():
        yield from stream.finish()


def _write_json(
    message: Shown | None, beside: MessageViews | None, segments: Iterator[Shown], findings: Findings
) -> None:
    content: Shown = {"segments": list(segments)} if message is None else message
    if beside is not None:
        content = {**content, **beside.document()}
    about: Shown = {"input": "segments" if message is None else "message", "complete": not findings.errors}
    about["errors"] = findings.errors
    if findings.warnings:
        about["warnings"] = findings.warnings
    click.echo(json.dumps({**about, **content}, ensure_ascii=False, indent=1))


def _write_text(
    message: Shown | None, beside: MessageViews | None, segments: Iterator[Shown], findings: Findings
) -> None:
    if message is not None:
        click.echo("\n".join(message_lines(message)))
    if beside is not None:
        for line in beside.lines():
            click.echo(line)
    for number, segment in enumerate(segments, 1):
        click.echo("\n".join(segment_lines(segment, number)))
    for line in findings.warnings:
        click.echo(f"warning: {line}", err=True)
    for line in findings.errors:
        click.echo(f"error: {line}", err=True)
