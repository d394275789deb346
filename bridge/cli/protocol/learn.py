"""``mqbridge protocol learn``: a draft of a protocol from what passed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from mqbridge.bridge.cli.ending import fail, reason_of
from mqbridge.mappings.templates import files_of

from .sources import KEYLOG, PORT, WRONG, dialogues_of, no_numpy, protocol_of

NOTHING: Final = 1


@click.command("learn")
@PORT
@KEYLOG
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Where drafts go.")
@click.option("--name", default="learnt", show_default=True, help="Name of the protocol.")
@click.option("--known", multiple=True, metavar="NAME=VALUE", help="A value that passes; its field gets the name.")
@click.option(
    "--grammar",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A description of a part of the protocol; what it does not recognise is learnt and added.",
)
@click.option("--keep-values", is_flag=True, help="Blank nothing, though it may be a name or a secret.")
@click.argument("capture", metavar="CAPTURE")
def command(
    port: int | None,
    keylog: str | None,
    output: Path | None,
    name: str,
    known: tuple[str, ...],
    grammar: Path | None,
    keep_values: bool,
    capture: str,
) -> None:
    """Draft the description of the protocol that connections speak.

    CAPTURE is a pcap or pcapng file, lines of hexadecimal digits (C> and S> in front say who sent them), or a dump as
    tcpdump, hexdump and Wireshark print them; - is standard input. Status 1 if nothing can be claimed.
    """
    try:
        from mqbridge.captures.drafts import DraftOptions, collect, draft_protocol, summary_lines, write_folder
        from mqbridge.captures.drafts.half_known import HalfKnown
        from mqbridge.captures.drafts.known import KnownValueError, read_known
    except ImportError as error:
        no_numpy(error)
    try:
        values = dict(map(read_known, known))
    except KnownValueError as error:
        raise click.UsageError(f"--known: {error}") from error
    half_known = None
    if grammar is not None:
        protocol = protocol_of(grammar)
        text = grammar.read_text(encoding="utf-8-sig")
        if files_of(text, str(grammar)):
            fail(f"mqbridge: {grammar}: templates must stand in the description itself", WRONG)
        half_known = HalfKnown(text, protocol)
    collected = collect(dialogues_of(capture, port, keylog))
    drafted = draft_protocol(collected, DraftOptions(name, values, keep_values, half_known))
    click.echo("\n".join(summary_lines(drafted)))
    if output is not None:
        try:
            written = write_folder(drafted, output, next(iter(collected.ports), 0))
        except OSError as error:
            fail(f"mqbridge: {reason_of(error)}", WRONG)
        if written:
            click.echo(f"written   {', '.join(map(str, written))}")
    if drafted.protocol is None:
        raise SystemExit(NOTHING)
