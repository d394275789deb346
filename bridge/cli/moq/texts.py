"""``mqbridge moq put``, ``get``, ``browse``, ``display``, ``count`` and ``purge``."""

from __future__ import annotations

import os

import click

from .calling import Calling, calling_options, queue_option, show, succeed


@click.command("put")
@calling_options
@queue_option
@click.option("-m", "text", required=True, metavar="TEXT", help="The message.")
def put(calling: Calling, queue: str, text: str) -> None:
    """Put a message on a queue."""
    with calling.client() as client:
        client.put(queue, os.fsencode(text))
        succeed()


@click.command("get")
@calling_options
@queue_option
@click.option("--wait", type=click.IntRange(0, 99_999), default=0, help="Seconds to wait for one; with --framed.")
def get(calling: Calling, queue: str, wait: int) -> None:
    """Take the oldest message of a queue."""
    with calling.client() as client:
        show(client.get(queue, wait))


@click.command("browse")
@calling_options
@queue_option
@click.option("-n", "number", type=int, default=1, show_default=True, help="Its position, from 1.")
def browse(calling: Calling, queue: str, number: int) -> None:
    """Show a message and leave it on its queue."""
    with calling.client() as client:
        show(client.browse(queue, number))


@click.command("display")
@calling_options
@queue_option
def display(calling: Calling, queue: str) -> None:
    """Describe a queue."""
    with calling.client() as client:
        click.echo(client.display(queue))


@click.command("count")
@calling_options
@queue_option
def count(calling: Calling, queue: str) -> None:
    """Show the number of messages on a queue."""
    with calling.client() as client:
        click.echo(client.count(queue))


@click.command("purge")
@calling_options
@queue_option
def purge(calling: Calling, queue: str) -> None:
    """Remove all messages of a queue."""
    with calling.client() as client:
        client.purge(queue)
        succeed()
