"""``mqbridge check``: certificates, users and doors of a queue manager, and what is to be done about them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from mqbridge.bridge.cli.asking import configuration_of, place_options
from mqbridge.bridge.cli.connecting import refusals
from mqbridge.bridge.security.checks import findings

from .gathering import gather
from .showing import document, lines

_TO_DO = 1


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--quiet", is_flag=True, help="Write only what is to be done.")
@place_options
def command(as_json: bool, quiet: bool, config: Path | None, data: Path | None) -> None:
    """Show certificates, users, and who can reach what, from where and as whom; and what to do about it.

    A running queue manager is asked; otherwise its data folder is read. Give --config where there is one: TLS, web and
    admin settings are in it. Status 0: nothing is to be done; 1: something is, or it could not be checked; 2: the
    configuration is wrong.
    """
    settings = configuration_of(config, data)
    with refusals():
        checked = gather(settings)
    found = findings(checked.estate)
    if as_json:
        click.echo(json.dumps(document(checked, found), indent=2))
    else:
        for line in lines(checked, found, only_findings=quiet):
            click.echo(line)
    if found:
        sys.exit(_TO_DO)
