"""DESCR of the supplied queues: what each is for, as the list of system and default objects in IBM MQ's documentation
says it. Default objects have none, for whatever is defined like them would have it too; those of model queues are
about what is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DESCRIPTIONS: Final[Mapping[str, str]] = {
    "SYSTEM.ADMIN.ACCOUNTING.QUEUE": "Accounting messages of programs that disconnect",
    "SYSTEM.ADMIN.ACTIVITY.QUEUE": "Activity reports",
    "SYSTEM.ADMIN.CHANNEL.EVENT": "Event queue for channels",
    "SYSTEM.ADMIN.COMMAND.EVENT": "Event queue for commands",
    "SYSTEM.ADMIN.COMMAND.QUEUE": "Administration command queue",
    "SYSTEM.ADMIN.CONFIG.EVENT": "Event queue for configuration",
    "SYSTEM.ADMIN.LOGGER.EVENT": "Event queue for the logger",
    "SYSTEM.ADMIN.PERFM.EVENT": "Event queue for performance",
    "SYSTEM.ADMIN.PUBSUB.EVENT": "Event queue for publish/subscribe",
    "SYSTEM.ADMIN.QMGR.EVENT": "Event queue for the queue manager",
    "SYSTEM.ADMIN.STATISTICS.QUEUE": "Statistics messages",
    "SYSTEM.ADMIN.TRACE.ROUTE.QUEUE": "Trace-route replies",
    "SYSTEM.AUTH.DATA.QUEUE": "Authority records",
    "SYSTEM.BROKER.ADMIN.STREAM": "Administration stream of queued publish/subscribe",
    "SYSTEM.BROKER.CONTROL.QUEUE": "Control queue of queued publish/subscribe",
    "SYSTEM.BROKER.DEFAULT.STREAM": "Default stream of queued publish/subscribe",
    "SYSTEM.CHANNEL.INITQ": "Channel initiation queue",
    "SYSTEM.CHANNEL.SYNCQ": "Channel synchronization data",
    "SYSTEM.CHLAUTH.DATA.QUEUE": "Channel authentication records",
    "SYSTEM.CICS.INITIATION.QUEUE": "Default CICS initiation queue",
    "SYSTEM.CLUSTER.COMMAND.QUEUE": "Messages to the cluster repository manager",
    "SYSTEM.CLUSTER.HISTORY.QUEUE": "History of cluster state, for service",
    "SYSTEM.CLUSTER.REPOSITORY.QUEUE": "Cluster repository",
    "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE": "Transmission queue of a cluster-sender channel",
    "SYSTEM.CLUSTER.TRANSMIT.QUEUE": "Transmission queue for all clusters",
    "SYSTEM.DDELAY.LOCAL.QUEUE": "Messages with a delivery delay",
    "SYSTEM.DEAD.LETTER.QUEUE": "IBM MQ Default Dead Letter Queue",
    "SYSTEM.DEFAULT.INITIATION.QUEUE": "Default initiation queue",
    "SYSTEM.DURABLE.MODEL.QUEUE": "Managed queue of a durable subscription",
    "SYSTEM.DURABLE.SUBSCRIBER.QUEUE": "Durable subscriptions",
    "SYSTEM.HIERARCHY.STATE": "State of the publish/subscribe hierarchy",
    "SYSTEM.INTER.QMGR.CONTROL": "Control messages of a publish/subscribe hierarchy",
    "SYSTEM.INTER.QMGR.FANREQ": "Fan-out requests of a publish/subscribe hierarchy",
    "SYSTEM.INTER.QMGR.PUBS": "Publications of a publish/subscribe hierarchy",
    "SYSTEM.INTERNAL.REPLY.QUEUE": "Internal replies",
    "SYSTEM.JMS.TEMPQ.MODEL": "Temporary queue of JMS",
    "SYSTEM.MQEXPLORER.REPLY.MODEL": "Reply queue of MQ Explorer",
    "SYSTEM.MQSC.REPLY.QUEUE": "Reply queue of MQSC commands",
    "SYSTEM.NDURABLE.MODEL.QUEUE": "Managed queue of a non-durable subscription",
    "SYSTEM.PENDING.DATA.QUEUE": "Deferred messages of JMS",
    "SYSTEM.PROTECTION.ERROR.QUEUE": "Messages that Advanced Message Security refused",
    "SYSTEM.PROTECTION.POLICY.QUEUE": "Policies of Advanced Message Security",
    "SYSTEM.REST.REPLY.QUEUE": "Answers to commands for other queue managers",
    "SYSTEM.RETAINED.PUB.QUEUE": "Retained publications",
    "SYSTEM.SELECTION.EVALUATION.QUEUE": "Selection, evaluation",
    "SYSTEM.SELECTION.VALIDATION.QUEUE": "Selection, validation",
}
