"""``mqbridge moq create``, ``delete`` and ``shutdown``."""

from __future__ import annotations

import click

from mqbridge.bridge.client.myopenq import DEFAULT_PORT, DEFAULT_SIZE, local_queue, remote_queue

from .calling import REFUSED, Calling, calling_options, queue_option, succeed


@click.command("create")
@calling_options
@queue_option
@click.option("-t", "kind", type=click.Choice(["local", "remote"]), required=True, help="Type.")
@click.option("-size", "size", type=int, default=DEFAULT_SIZE, show_default=True, help="Most messages.")
@click.option("-ml", "length", type=int, default=DEFAULT_SIZE, show_default=True, help="Longest message in bytes.")
@click.option("-timeout", "timeout", type=int, default=0, help="Seconds that a message may stay; with --framed.")
@click.option("-rs", "remote_server", metavar="IP", help="Of a remote queue: the other server.")
@click.option("-rp", "remote_port", type=int, default=DEFAULT_PORT, show_default=True, help="Its port.")
@click.option("--remote-name", default="", metavar="NAME", help="Name of the queue there; with --framed.")
def create(
    calling: Calling,
    queue: str,
    kind: str,
    size: int,
    length: int,
    timeout: int,
    remote_server: str | None,
    remote_port: int,
    remote_name: str,
) -> None:
    """Define a queue, local or remote."""
    if kind == "remote" and remote_server is None:
        raise click.UsageError("a remote queue needs -rs, the address of the other server")
    with calling.client() as client:
        if remote_server is not None and kind == "remote":
            client.create(
                remote_queue(queue, remote_server, remote_port, size, length, timeout=timeout, remote_name=remote_name)
            )
        else:
            client.create(local_queue(queue, size, length, timeout))
        succeed()


@click.command("delete")
@calling_options
@queue_option
@click.option("--force", is_flag=True, help="With the messages that are on it.")
def delete(calling: Calling, queue: str, force: bool) -> None:
    """Delete a queue that create has made."""
    with calling.client() as client:
        if not force and (number := client.count(queue)):
            click.echo(f"{queue} has {number} messages; --force deletes them too", err=True)
            raise click.exceptions.Exit(REFUSED)
        client.delete(queue)
        succeed()


@click.command("shutdown")
@calling_options
def shutdown(calling: Calling) -> None:
    """End the server."""
    with calling.client() as client:
        client.shutdown()
        succeed()
