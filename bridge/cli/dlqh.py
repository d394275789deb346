"""``mqbridge dlqh``: a dead-letter queue handler with the rules tables of runmqdlq."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from mqbridge.bridge.rest_client import RestClient
from mqbridge.mappings.dead_letter_rules import RulesError, RulesTable, read_rules

from .connecting import connect, fail, reach_options, refusals
from .dead_letters import DeadLetters

WRONG_RULES = 2
_AGENT = "mqbridge dlqh"


@click.command("dlqh")
@reach_options
@click.option("--queue", metavar="QUEUE", help="Dead-letter queue. [default: INPUTQ of the rules, or DEADQ]")
@click.option("--check", is_flag=True, help="Read the rules only.")
@click.argument("rules", metavar="RULES")
def command(data: str | None, url: str | None, queue: str | None, check: bool, rules: str) -> None:
    """Handle the messages of a dead-letter queue by RULES, a file in the form of runmqdlq's rules table, or - for
    standard input.

    Prints what becomes of each message, and a summary. It ends as WAIT of the rules says. Status 0; 1 with the reason
    on standard error; 2: the rules are wrong, with line and keyword.
    """
    table = _read(rules)
    if check:
        click.echo(f"{len(table.rules)} rules")
        return
    with refusals(), connect(data, url, _AGENT) as client, connect(data, url, _AGENT) as worker:
        wanted = table.control.queue_manager
        if wanted and wanted != client.queue_manager:
            fail(f"{rules}: INPUTQM is {wanted}, but this is {client.queue_manager}", WRONG_RULES)
        name = queue or table.control.queue or _dead_letter_queue(client)
        DeadLetters(client, worker, name, table, click.echo).run()


def _read(rules: str) -> RulesTable:
    try:
        data = sys.stdin.buffer.read() if rules == "-" else Path(rules).read_bytes()
        return read_rules(data.decode())
    except OSError as error:
        raise click.UsageError(f"{rules}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        fail(f"{rules}: no text in UTF-8: {error}", WRONG_RULES)
    except RulesError as error:
        fail(f"{rules}: {error}", WRONG_RULES)


def _dead_letter_queue(client: RestClient) -> str:
    """Return the queue manager's dead-letter queue; ends the command if it has none."""
    reply: dict[str, Any] = client.run_json(
        {"type": "runCommandJSON", "command": "display", "qualifier": "qmgr", "responseParameters": ["deadq"]}
    )
    (found,) = reply["commandResponse"]
    name = str(found["parameters"]["deadq"]).strip()
    if not name:
        fail(f"{client.queue_manager} has no dead-letter queue; --queue names one")
    return name
