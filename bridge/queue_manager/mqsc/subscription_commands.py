"""Commands on subscriptions and topic strings, and DISPLAY TPSTATUS, SBSTATUS and PUBSUB (channels.md 17.2, 17.4)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.objects import KINDS, Definition, Kind, ObjectMissing, is_generic
from mqbridge.bridge.queue_manager.units_of_work import on_complete

from .context import Context
from .definitions import take_attributes
from .display import SUBJECTS, show
from .messages import changed, created, deleted
from .status import show_rows
from .status_fields import PUBSUB_STATUS, SUBSCRIPTION_STATUS, TOPIC_STATUS

SUBSCRIPTION_TYPES = ("USER", "ADMIN", "API", "PROXY", "ALL")
DURABILITIES = ("ALL", "YES", "NO")


def define_sub(context: Context) -> None:
    """DEFINE SUB(name) [LIKE(sub)] [REPLACE | NOREPLACE] attributes."""
    command = context.command
    name = command.required_name("name")
    like = command.one("LIKE") or ""
    replace = command.flag("REPLACE")
    command.flag("NOREPLACE")
    attributes = take_attributes(command, KINDS[Kind.SUB].tables[""])
    administration = context.manager.pubsub.administration
    then = context.stored(created(Kind.SUB))
    on_complete(administration.define(name, attributes, context.now, like=like, replace=replace), then)


def alter_sub(context: Context) -> None:
    """ALTER SUB(name) | SUBID(id) attributes."""
    definition = _subscription(context)
    attributes = take_attributes(context.command, definition.table, altering=True)
    then = context.stored(changed(Kind.SUB))
    on_complete(context.manager.pubsub.administration.alter(definition, attributes, context.now), then)


def delete_sub(context: Context) -> None:
    """DELETE SUB(name) | SUBID(id)."""
    command = context.command
    ignore = command.word("IGNSTATE", ("YES", "NO"), "NO") == "YES"
    try:
        definition = _subscription(context)
    except ObjectMissing:
        if not ignore:
            raise
        context.answer(deleted(Kind.SUB))
        return
    command.finish()
    on_complete(
        context.manager.pubsub.administration.delete(definition, context.now), context.stored(deleted(Kind.SUB))
    )


def display_sub(context: Context) -> None:
    """DISPLAY SUB(generic) | SUBID(id) [DURABLE()] [SUBTYPE()] [WHERE()] [ALL | attributes]."""
    command = context.command
    wanted = take_subscriptions(context)
    command.flag("SUMMARY")
    generic = command.name or "SUBID"
    show(context, SUBJECTS["SUB"], wanted, is_generic(generic), generic)


def take_subscriptions(context: Context) -> list[Definition]:
    """The definitions selected by name or SUBID, DURABLE and SUBTYPE of a DISPLAY."""
    command = context.command
    if command.name is None:
        found = [_subscription(context)]
    else:
        found = context.objects.select(Kind.SUB, generic=command.name)
    kinds, durability = "ALL", "ALL"
    for parameter in list(command.parameters):
        if parameter.values is None:
            continue
        if parameter.keyword == "DURABLE":
            durability = command.word("DURABLE", DURABILITIES)
        elif parameter.keyword == "SUBTYPE":
            kinds = command.word("SUBTYPE", SUBSCRIPTION_TYPES)
    shown = {"ALL": ("ADMIN", "API", "PROXY"), "USER": ("ADMIN", "API")}.get(kinds, (kinds,))
    return [each for each in found if durability in ("ALL", each.text("DURABLE")) and each.text("SUBTYPE") in shown]


def _subscription(context: Context) -> Definition:
    """The subscription with the command's name, or with SUBID if it has none."""
    command = context.command
    if command.name is not None:
        return context.objects.existing(Kind.SUB, command.name, {})
    identifier = command.one("SUBID")
    if identifier is None:
        raise command.error(command.name_offset, f"(name) after {command.noun}, or SUBID")
    return context.manager.pubsub.administration.find("", identifier)


def clear_topic(context: Context) -> None:
    """CLEAR TOPICSTR(string) CLRTYPE(RETAINED); ``#`` and ``+`` alone in a level stand for many strings."""
    command = context.command
    topic = command.required_name("topic string")
    if not command.word("CLRTYPE", ("RETAINED",)):
        raise command.error(command.name_offset, "CLRTYPE(RETAINED)")
    command.word("SCOPE", ("LOCAL",))
    command.finish()
    _, pending = context.manager.pubsub.clear_retained(topic, context.now)
    on_complete(pending, context.stored("AMQ8749"))


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
    show_rows(context, rows, TOPIC_STATUS[kind], f"no topic string is meant by {topic}", not command.parameters)


def display_sbstatus(context: Context) -> None:
    """DISPLAY SBSTATUS(generic) | SUBID(id) [DURABLE()] [SUBTYPE()] [WHERE()] [ALL | fields]."""
    command = context.command
    wanted = take_subscriptions(context)
    rows = (row for each in wanted for row in context.manager.pubsub.status.subscriptions(each.identity))
    missing = f"no status of a subscription {command.name or ''}"
    show_rows(context, rows, SUBSCRIPTION_STATUS, missing, not command.parameters)


def display_pubsub(context: Context) -> None:
    """DISPLAY PUBSUB [TYPE(ALL | LOCAL | CHILD | PARENT)] [ALL | fields]; this queue manager has no relatives."""
    command = context.command
    kind = command.word("TYPE", ("ALL", "LOCAL", "CHILD", "PARENT"), "ALL")
    rows = [context.manager.pubsub.status.engine()] if kind in ("ALL", "LOCAL") else []
    show_rows(context, rows, PUBSUB_STATUS, f"no publish/subscribe engine of TYPE({kind})", not command.parameters)
