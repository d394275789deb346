"""``mqbridge put``: messages onto a queue or topic, one or many."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any, Final

import click

from mqbridge.bridge.cli.connecting import client_option, connect_either, reach_options, refusals
from mqbridge.bridge.message_json import MessageFormError, make_property
from mqbridge.mappings.jms import KINDS

from .client_access import ClientAccess
from .jms_input import JMS_HEADERS, jms_batches, jms_message
from .message_selection import identifier
from .progress import Progress
from .put_destination import PutDestination, read_destination
from .put_input import Batch, PutRequest, batches, whole_message

MANY: Final = 100
"""Number of messages up to which ids are printed; beyond it, a summary."""
MAX_FORMAT: Final = 8
"""Length of a format name."""


def _properties(context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"NAME=VALUE is expected, not {value!r}")
        name, colon, kind = name.partition(":")
        kind = kind if colon else "string"
        try:
            if name not in JMS_HEADERS or not context.params.get("jms_kind"):
                make_property(name, kind, text)
        except MessageFormError as error:
            raise click.BadParameter(str(error)) from error
        found[name] = {"type": kind, "value": text}
    return found


def _format(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and (len(value) > MAX_FORMAT or not value.isascii()):
        raise click.BadParameter(f"at most {MAX_FORMAT} ASCII characters are expected, not {value!r}")
    return value


@click.command("put")
@reach_options
@client_option
@click.option("--file", metavar="F", help="Put what this file holds; - is standard input.")
@click.option("--lines", is_flag=True, help="One message a line, of --file or of standard input.")
@click.option("--count", type=click.IntRange(1), metavar="N", help="Put the message N times.")
@click.option("--size", type=click.IntRange(0, 100 << 20), metavar="BYTES", help="Fill the message up to this length.")
@click.option("--persistent/--non-persistent", default=None, help="Kept over a restart or not; otherwise as the queue.")
@click.option("--qmgr", default="", metavar="RQMNAME", help="Queue manager that the queue belongs to.")
@click.option("--priority", type=click.IntRange(0, 9), metavar="N", help="0 to 9.")
@click.option("--expiry", type=click.IntRange(1), metavar="TENTHS", help="Tenths of a second that it may wait.")
@click.option(
    "--format", "message_format", callback=_format, metavar="F", help="Format name. [default: MQSTR for text]"
)
@click.option("--correl-id", callback=identifier, metavar="HEX", help="Correlation id.")
@click.option("--reply-to", metavar="Q[@QM]", help="Where replies are to go.")
@click.option(
    "--property",
    "properties",
    multiple=True,
    callback=_properties,
    metavar="NAME=VALUE",
    help="A message property; NAME:i4=VALUE gives it a type. May be repeated. With --jms also JMSType and others.",
)
@click.option(
    "--jms",
    "jms_kind",
    type=click.Choice(KINDS),
    is_eager=True,
    help="Put a JMS message of this kind. TEXT is the text, hexadecimal (bytes, object), or JSON: an object with keys "
    "NAME or NAME:i4 (map), an array (stream).",
)
@click.argument("queue", metavar="QUEUE|URI")
@click.argument("text", required=False)
def command(
    data: str | None,
    url: str | None,
    client: str | None,
    file: str | None,
    lines: bool,
    count: int | None,
    size: int | None,
    persistent: bool | None,
    qmgr: str,
    priority: int | None,
    expiry: int | None,
    message_format: str | None,
    correl_id: str | None,
    reply_to: str | None,
    properties: dict[str, Any],
    jms_kind: str | None,
    queue: str,
    text: str | None,
) -> None:
    """Put messages on a queue: TEXT, a file, lines, or standard input.

    In place of its name a URI may stand, queue://QM/Q?priority=7, whose properties come before the options; over a
    client connection also topic://A/B. Prints the message ids, or a summary when there are many. Status 0; 1 with the
    reason on standard error.
    """
    fields: dict[str, Any] = {}
    for name, value in (("Priority", priority), ("Expiry", expiry), ("CorrelId", correl_id)):
        if value is not None:
            fields[name] = value
    if persistent is not None:
        fields["Persistence"] = int(persistent)
    if reply_to is not None:
        fields["ReplyToQ"], _, fields["ReplyToQMgr"] = reply_to.partition("@")
    if text is not None and (file is not None or lines):
        raise click.UsageError("give TEXT, or --file and --lines")
    if lines and (count is not None or size is not None):
        raise click.UsageError("--lines takes each line once and as it is")
    if jms_kind is not None and (lines or size is not None or message_format is not None):
        raise click.UsageError("--jms gives a message its format; --lines, --size and --format do not go with it")
    empty = text is None and file is None and not lines and size is None and (count is None or jms_kind is not None)
    if empty and jms_kind != "none" and sys.stdin.isatty():
        raise click.UsageError("nothing to put: give TEXT, --file, --lines or --count, or pipe the message in")
    target = read_destination(queue, qmgr)
    request = PutRequest(target.query, fields, message_format, properties, text, file, lines, count, size)
    if jms_kind is None:
        fields.update(target.fields)
        made = None
    else:
        made = jms_message(jms_kind, request, target)
    with refusals(), connect_either(data, url, client, "mqbridge put") as reached:
        if target.topic and not isinstance(reached, ClientAccess):
            raise click.UsageError("messages are published over a client connection: give --client, or set MQSERVER")
        if made is not None and count is None:
            click.echo(reached.put(target.queue, made[1], made[0], query=request.query))
        elif made is None and request.single:
            with whole_message(request) as (body, complete):
                click.echo(reached.put(target.queue, body, complete, query=request.query))
        else:
            parts = batches(request) if made is None else jms_batches(*made, count or 1)
            _put_many(reached.put_lines, target, request, parts)


def _put_many(put_lines: Any, target: PutDestination, request: PutRequest, parts: Iterator[Batch]) -> None:
    """Put batch after batch; print ids while there are few, a bar and a summary for many."""
    began = time.monotonic()
    total = 0
    many = request.count is not None and request.count > MANY
    with Progress("put", request.count if many else None, shown=many) as progress:
        try:
            for batch in parts:
                ids = put_lines(target.queue, batch.lines, query=request.query)
                if not many:
                    for identifier in ids[: max(MANY - total, 0)]:
                        click.echo(identifier)
                total += len(ids)
                if total > MANY and not many:
                    many = True
                    progress.show()
                progress.advance(len(ids))
        except BaseException:
            if total:
                click.echo(f"{total:,} messages were put before this:", err=True)
            raise
    if many:
        seconds, place = max(time.monotonic() - began, 1e-6), target.queue or target.topic
        click.echo(f"{total:,} messages put on {place} in {seconds:.1f} s, {total / seconds:,.0f} a second")
