"""START, STOP, PING, RESET and RESOLVE CHANNEL (channels.md 5.5, 5.6, 6.3)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.objects import (
    MQRCCF,
    Definition,
    Kind,
    unsafe_attributes,
)
from mqbridge.bridge.security.tls import unsupported

from .context import Context

PING_LOW, PING_HIGH, PING_DEFAULT = 16, 32768, 64
"""Range and default of DATALEN, in bytes."""
MAX_SEQUENCE = 999999999

_NOT_CLIENT = ("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR")
_MESSAGES = ("SDR", "SVR", "RCVR", "RQSTR", "CLUSSDR", "CLUSRCVR")
_PINGED = ("SDR", "SVR", "RQSTR", "CLUSSDR")
_RESOLVED = ("SDR", "SVR", "CLUSSDR")


def _channel(context: Context, types: tuple[str, ...]) -> Definition:
    """The channel of the command, of one of these CHLTYPEs. Raises `ObjectMissing`, `ControlError`."""
    name = context.command.required_name("channel name")
    context.command.word("CHLTYPE", ("MQTT", "AMQP"))
    context.command.finish()
    channel = context.objects.existing(Kind.CHANNEL, name, {})
    if channel.subtype not in types:
        amq = "AMQ9512" if context.command.verb == "PING" else "AMQ8101"
        text = f"{context.command.verb} is not valid for channel {name} of CHLTYPE({channel.subtype})"
        raise ControlError(text, amq=amq, reason=MQRCCF.WRONG_CHANNEL_TYPE)
    return channel


def _require_safe(context: Context, channel: Definition) -> None:
    """Raise `ControlError` if the channel has an attribute that this queue manager does not implement, or needs TLS as
    it is not built."""
    for attribute, _, amq in unsafe_attributes(channel):
        text = f"channel {channel.name} has {attribute}, which this queue manager does not act on, and stays stopped"
        raise ControlError(text, amq=amq, reason=MQRCCF.CHANNEL_DISABLED)
    fault = unsupported(channel, context.objects.manager)
    if fault is not None:
        text = f"channel {channel.name} cannot use TLS: {fault.inserts[1]}"
        raise ControlError(text, amq=fault.amq, reason=MQRCCF.CHANNEL_DISABLED)


def start_channel(context: Context) -> None:
    """START CHANNEL(name) [IGNSTATE(YES | NO)]."""
    with context.ignoring(MQRCCF.CHANNEL_IN_USE):
        channel = _channel(context, _NOT_CLIENT)
        _require_safe(context, channel)
        context.control.start(channel, context.now)
    context.answer("AMQ8018")


def stop_channel(context: Context) -> None:
    """STOP CHANNEL(name) [MODE()] [STATUS()] [CONNAME()] [QMNAME()] [IGNSTATE(YES | NO)]."""
    command = context.command
    mode = command.word("MODE", ("QUIESCE", "FORCE", "TERMINATE"), "QUIESCE")
    status = command.word("STATUS", ("STOPPED", "INACTIVE"))
    connection, queue_manager = ((command.one(keyword) or "").strip() for keyword in ("CONNAME", "QMNAME"))
    if (connection or queue_manager) and status == "STOPPED":
        raise command.error(command.name_offset, "STATUS(INACTIVE) where CONNAME or QMNAME is given")
    with context.ignoring(MQRCCF.CHANNEL_NOT_ACTIVE):
        channel = _channel(context, _NOT_CLIENT)
        status = status or ("INACTIVE" if connection or queue_manager else "STOPPED")
        context.control.stop(channel, mode, status, connection, queue_manager, context.now)
    context.answer("AMQ8019")


def ping_channel(context: Context) -> None:
    """PING CHANNEL(name) [DATALEN(n)]; answered after the partner's answer."""
    length = context.command.number("DATALEN", PING_LOW, PING_HIGH, PING_DEFAULT)
    channel = _channel(context, _PINGED)
    _require_safe(context, channel)
    if context.control.active(channel.name):
        raise ControlError(f"channel {channel.name} is in use", amq="AMQ9514", reason=MQRCCF.CHANNEL_IN_USE)
    context.control.ping(channel, length, context.now, context.finish("AMQ8020"))


def reset_channel(context: Context) -> None:
    """RESET CHANNEL(name) [SEQNUM(n)]."""
    sequence = context.command.number("SEQNUM", 1, MAX_SEQUENCE, 1)
    channel = _channel(context, _MESSAGES)
    context.control.reset(channel, sequence, context.now, context.finish("AMQ8023"))


def resolve_channel(context: Context) -> None:
    """RESOLVE CHANNEL(name) ACTION(COMMIT | BACKOUT)."""
    action = context.command.word("ACTION", ("COMMIT", "BACKOUT"))
    if not action:
        raise context.command.error(context.command.name_offset, "ACTION with one of COMMIT, BACKOUT")
    channel = _channel(context, _RESOLVED)
    context.control.resolve(channel, action == "COMMIT", context.now, context.finish("AMQ8025"))
