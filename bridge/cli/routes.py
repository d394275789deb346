"""``mqbridge routes``: routes, links, partners and senders of a queue manager; what routes would do with a message."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, BinaryIO, Final

import click

from mqbridge.bridge.cli.connecting import connect, fail, reach_options, refusals
from mqbridge.bridge.rest_client.routes import act_on_route, explain_routes, routes
from mqbridge.protocol.dissection.hex_text import HexTextError, is_hex_text, read_hex_text

NOT_REACHABLE: Final = 20
_COLUMNS: Final = ("name", "kind", "state", "from", "to", "carried", "dropped", "failed")
_NUMBERS: Final = frozenset(("carried", "dropped", "failed"))


@click.command("routes")
@reach_options
@click.option("--start", multiple=True, metavar="NAME", help="Start the route, link or partner; may be repeated.")
@click.option("--stop", multiple=True, metavar="NAME", help="Stop the route, link or partner; may be repeated.")
@click.option("--explain", type=click.File("rb"), metavar="FILE", help="Say what routes would do with this message.")
@click.option("--from", "source", metavar="QUEUE", help="The queue that the message of --explain would be put on.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of text.")
@click.option("--ccsid", type=int, metavar="N", help="Code page of a message without MQMD.")
@click.option("--encoding", type=int, metavar="N", help="Numeric encoding of a message without MQMD.")
@click.option("--format", "message_format", metavar="F", help="Format of a message without MQMD, such as MQHRF2.")
def command(
    data: str | None,
    url: str | None,
    start: tuple[str, ...],
    stop: tuple[str, ...],
    explain: BinaryIO | None,
    source: str | None,
    as_json: bool,
    ccsid: int | None,
    encoding: int | None,
    message_format: str | None,
) -> None:
    """Show routes, links, partners and senders with their states and counts, or start and stop them.

    FILE, or - for standard input, holds a message as hexadecimal text or raw bytes: MQMD and data, or data alone. Its
    steps run on a copy, and nothing is put. Routes with the same source start and stop together. Status 0; 1: it was
    refused; 20: no queue manager answers.
    """
    if (explain is None) is not (source is None):
        raise click.UsageError("--explain FILE and --from QUEUE belong together")
    if explain is not None and (start or stop):
        raise click.UsageError("give --explain, or --start and --stop")
    with refusals(NOT_REACHABLE), connect(data, url, "mqbridge routes") as client:
        if explain is not None and source is not None:
            about = {"ccsid": ccsid, "encoding": encoding, "format": message_format}
            query = {"from": source, **{key: str(value) for key, value in about.items() if value is not None}}
            document = explain_routes(client, _message(explain.read()), query)
            _write(document, [line for each in document["explanation"] for line in each["lines"]], as_json)
            return
        for name in stop:
            act_on_route(client, name, "stop")
        for name in start:
            act_on_route(client, name, "start")
        document = routes(client)
        _write(document, _table(document["routes"]), as_json)


def _message(data: bytes) -> bytes:
    """Return the bytes of a message from hexadecimal text, or as they are."""
    if not is_hex_text(data):
        return data
    try:
        return b"".join(piece.data for piece in read_hex_text(data))
    except HexTextError as error:
        fail(str(error))


def _write(document: Any, lines: Sequence[str], as_json: bool) -> None:
    click.echo(json.dumps(document, ensure_ascii=False, indent=1) if as_json else "\n".join(lines))


def _table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each route and link, and what it waits for below it."""
    if not rows:
        return ["no routes and no links are configured"]
    texts = [{column: str(row[column]) for column in _COLUMNS} for row in rows]
    widths = {column: max(len(column), *(len(text[column]) for text in texts)) for column in _COLUMNS}
    lines = [_line({column: column for column in _COLUMNS}, widths)]
    for row, text in zip(rows, texts, strict=True):
        lines.append(_line(text, widths))
        if row["detail"]:
            lines.append(f"  {row['detail']}")
    return lines


def _line(text: dict[str, str], widths: dict[str, int]) -> str:
    cells = [
        text[column].rjust(widths[column]) if column in _NUMBERS else text[column].ljust(widths[column])
        for column in _COLUMNS
    ]
    return "  ".join(cells).rstrip()
