"""DISPLAY TPSTATUS, SBSTATUS and PUBSUB (channels.md 17.4)."""

from __future__ import annotations

from .context import Context
from .status import show_rows
from .subscription_commands import take_subscriptions

TOPIC_FIELDS = (
    "TOPICSTR", "TYPE", "ADMIN", "DEFPRESP", "DEFPRTY", "DEFPSIST", "DURSUB", "MCAST", "MDURMDL", "MNDURMDL",
    "NPMSGDLV", "PMSGDLV", "PUB", "PUBCOUNT", "PUBSCOPE", "RETAINED", "SUB", "SUBCOUNT", "SUBSCOPE", "USEDLQ",
)  # fmt: skip
SUBSCRIPTION_FIELDS = (
    "SUB", "SUBID", "DURABLE", "LMSGDATE", "LMSGTIME", "NUMMSGS", "RESMDATE", "RESMTIME", "SUBTYPE", "SUBUSER",
)  # fmt: skip
ENGINE_FIELDS = ("QMNAME", "TYPE", "STATUS", "SUBCOUNT", "TPCOUNT")


def display_tpstatus(context: Context) -> None:
    """DISPLAY TPSTATUS(topic string) [TYPE(TOPIC | SUB | PUB)] [WHERE()] [ALL | fields]."""
    command, status = context.command, context.manager.pubsub.status
    topic = command.required_name("topic string, in which # and + may stand for levels")
    kind = command.word("TYPE", ("TOPIC", "SUB", "PUB"), "TOPIC")
    fields: tuple[str, ...]
    if kind == "TOPIC":
        rows, fields = status.topics(topic), TOPIC_FIELDS
    elif kind == "SUB":
        rows, fields = status.topic_subscribers(topic), ("TOPICSTR", "TYPE", *SUBSCRIPTION_FIELDS)
    else:
        rows, fields = status.topic_publishers(topic), ("TOPICSTR", "TYPE")

    def missing() -> None:
        context.found_nothing(f"no topic string is meant by {topic}")

    everything = not command.parameters
    show_rows(context, rows, fields, ("TOPICSTR", "TYPE"), "AMQ8754", missing, everything)


def display_sbstatus(context: Context) -> None:
    """DISPLAY SBSTATUS(generic) | SUBID(id) [DURABLE()] [SUBTYPE()] [WHERE()] [ALL | fields]."""
    command = context.command
    wanted = take_subscriptions(context)
    rows = (row for each in wanted for row in context.manager.pubsub.status.subscriptions(each.identity))

    def missing() -> None:
        context.found_nothing(f"no status of a subscription {command.name or ''}")

    everything = not command.parameters
    show_rows(context, rows, SUBSCRIPTION_FIELDS, ("SUB", "SUBID"), "AMQ8099", missing, everything)


def display_pubsub(context: Context) -> None:
    """DISPLAY PUBSUB [TYPE(ALL | LOCAL | CHILD | PARENT)] [ALL | fields]; this queue manager has no relatives."""
    command = context.command
    kind = command.word("TYPE", ("ALL", "LOCAL", "CHILD", "PARENT"), "ALL")
    rows = [context.manager.pubsub.status.engine()] if kind in ("ALL", "LOCAL") else []

    def missing() -> None:
        context.found_nothing(f"no publish/subscribe engine of TYPE({kind})")

    show_rows(context, rows, ENGINE_FIELDS, ENGINE_FIELDS[:3], "AMQ8723", missing, not command.parameters)
