"""DISPLAY TPSTATUS, SBSTATUS and PUBSUB (channels.md 17.4)."""

from __future__ import annotations

from .context import Context
from .status import show_rows
from .status_fields import PUBSUB_STATUS, SUBSCRIPTION_STATUS, TOPIC_STATUS
from .subscription_commands import take_subscriptions


def display_tpstatus(context: Context) -> None:
    """DISPLAY TPSTATUS(topic string) [TYPE(TOPIC | SUB | PUB)] [WHERE()] [ALL | fields]."""
    command, status = context.command, context.manager.pubsub.status
    topic = command.required_name("topic string, in which # and + may stand for levels")
    kind = command.word("TYPE", tuple(TOPIC_STATUS), "TOPIC")
    if kind == "TOPIC":
        rows = status.topics(topic)
    elif kind == "SUB":
        rows = status.topic_subscribers(topic)
    else:
        rows = status.topic_publishers(topic)

    def missing() -> None:
        context.found_nothing(f"no topic string is meant by {topic}")

    everything = not command.parameters
    show_rows(context, rows, TOPIC_STATUS[kind], missing, everything)


def display_sbstatus(context: Context) -> None:
    """DISPLAY SBSTATUS(generic) | SUBID(id) [DURABLE()] [SUBTYPE()] [WHERE()] [ALL | fields]."""
    command = context.command
    wanted = take_subscriptions(context)
    rows = (row for each in wanted for row in context.manager.pubsub.status.subscriptions(each.identity))

    def missing() -> None:
        context.found_nothing(f"no status of a subscription {command.name or ''}")

    everything = not command.parameters
    show_rows(context, rows, SUBSCRIPTION_STATUS, missing, everything)


def display_pubsub(context: Context) -> None:
    """DISPLAY PUBSUB [TYPE(ALL | LOCAL | CHILD | PARENT)] [ALL | fields]; this queue manager has no relatives."""
    command = context.command
    kind = command.word("TYPE", ("ALL", "LOCAL", "CHILD", "PARENT"), "ALL")
    rows = [context.manager.pubsub.status.engine()] if kind in ("ALL", "LOCAL") else []

    def missing() -> None:
        context.found_nothing(f"no publish/subscribe engine of TYPE({kind})")

    show_rows(context, rows, PUBSUB_STATUS, missing, not command.parameters)
