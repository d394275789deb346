"""Commands on clusters, security policies, and MQTT and AMQP channels, none of which this queue manager has.

They answer as on a queue manager that is in no cluster, has no policy and may make none, and has no such channel.
"""

from __future__ import annotations

from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.objects import MQRCCF
from mqbridge.protocol.constants import MQRC

from .context import Context

_POLICY_ATTRIBUTES = ("ACTION", "ENCALG", "IGNSTATE", "KEYREUSE", "RECIP", "SIGNALG", "SIGNER")
_CLUSTERS = ("CLUSTER", "CLUSNL")


def display_clusqmgr(context: Context) -> None:
    """DISPLAY CLUSQMGR(generic) …: there is none."""
    name = context.command.required_name("cluster queue manager name or generic name")
    context.found_nothing(f"no queue manager of a cluster is known that is meant by {name}")


def display_cluster_object(context: Context) -> None:
    """DISPLAY QCLUSTER(generic) …, DISPLAY TCLUSTER(generic) …: there is none."""
    name = context.command.required_name("name or generic name")
    context.found_nothing(f"nothing that is shared in a cluster is meant by {name}")


def purge_channel(context: Context) -> None:
    """PURGE CHANNEL(name) CHLTYPE(MQTT | AMQP) CLIENTID(): such channels can be defined but never run."""
    name = context.command.required_name("channel name")
    context.command.word("CHLTYPE", ("MQTT", "AMQP"))
    context.command.take("CLIENTID")
    context.command.finish()
    channel = context.objects.channel(name)
    if channel is None:
        context.refuse("AMQ8147", MQRCCF.CHANNEL_NOT_FOUND, f"channel {name} does not exist")
    elif channel.subtype in ("MQTT", "AMQP"):
        raise ControlError(f"channel {name} is not active", reason=MQRCCF.CHANNEL_NOT_ACTIVE)
    else:
        raise ControlError(f"channel {name} is not for clients of MQTT or AMQP", reason=MQRCCF.WRONG_CHANNEL_TYPE)


def display_policy(context: Context) -> None:
    """DISPLAY POLICY(generic) …: there is none."""
    name = context.command.required_name("policy name or generic name")
    context.found_nothing(f"no policy is meant by {name}")


def delete_policy(context: Context) -> None:
    """DELETE POLICY(name): there is none."""
    name = context.command.required_name("policy name")
    ignore = context.command.word("IGNSTATE", ("YES", "NO"), "NO") == "YES"
    context.command.finish()
    if ignore:
        context.answer("AMQ8415", "DELETE POLICY")
    else:
        context.refuse("AMQ8147", MQRCCF.POLICY_NOT_FOUND, f"policy {name} does not exist")


def set_policy(context: Context) -> None:
    """SET POLICY(name) …: refused, since messages are not protected and the policy would have no effect."""
    name = context.command.required_name("policy name")
    for keyword in _POLICY_ATTRIBUTES:
        context.command.take(keyword)
    context.command.flag("ENFORCE")
    context.command.flag("TOLERATE")
    context.command.finish()
    raise ControlError(f"policy {name}: this queue manager protects no messages", reason=MQRCCF.FUNCTION_RESTRICTED)


def membership(context: Context) -> None:
    """SUSPEND and RESUME QMGR CLUSTER() | CLUSNL()."""
    command = context.command
    parameter = command.take(*_CLUSTERS)
    if parameter is None:
        raise command.error(command.name_offset, f"one of {', '.join(_CLUSTERS)}", reason=MQRCCF.PARM_MISSING)
    command.word("MODE", ("QUIESCE", "FORCE"))
    name = command.value_of(parameter)
    command.finish()
    _in_no_cluster(context, name)


def cluster(context: Context) -> None:
    """REFRESH CLUSTER(name) [REPOS(YES | NO)], RESET CLUSTER(name) ACTION(FORCEREMOVE) QMNAME() | QMID()."""
    command = context.command
    name = command.required_name("cluster name")
    command.word("REPOS", ("YES", "NO"))
    command.word("ACTION", ("FORCEREMOVE",))
    command.word("QUEUES", ("YES", "NO"))
    command.take("QMNAME", "QMID")
    command.finish()
    _in_no_cluster(context, name)


def _in_no_cluster(context: Context, name: str) -> None:
    context.refuse("AMQ8147", MQRC.UNKNOWN_OBJECT_NAME, f"this queue manager is in no cluster {name}")
