"""Messages of command replies: ids of IBM MQ (channels.md 18), texts of our own."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.objects import MQRCCF, Kind
from mqbridge.protocol.constants import MQRC

TEXTS: dict[str, tuple[str, str]] = {
    "AMQ8005": ("I", "queue manager changed."),
    "AMQ8006": ("I", "queue created."),
    "AMQ8007": ("I", "queue deleted."),
    "AMQ8008": ("I", "queue changed."),
    "AMQ8010": ("I", "process created."),
    "AMQ8011": ("I", "process changed."),
    "AMQ8012": ("I", "process deleted."),
    "AMQ8014": ("I", "channel created."),
    "AMQ8015": ("I", "channel deleted."),
    "AMQ8016": ("I", "channel changed."),
    "AMQ8018": ("I", "start of channel accepted."),
    "AMQ8019": ("I", "stop of channel accepted."),
    "AMQ8020": ("I", "ping of channel complete."),
    "AMQ8021": ("I", "start of listener accepted."),
    "AMQ8022": ("I", "queue cleared."),
    "AMQ8023": ("I", "channel reset."),
    "AMQ8024": ("I", "channel initiator started."),
    "AMQ8025": ("I", "channel resolved."),
    "AMQ8094": ("I", "subscription created."),
    "AMQ8095": ("I", "subscription changed."),
    "AMQ8096": ("I", "subscription details:"),
    "AMQ8097": ("I", "subscription deleted."),
    "AMQ8099": ("I", "subscription status details:"),
    "AMQ8276": ("I", "connection details:"),
    "AMQ8407": ("I", "process details:"),
    "AMQ8408": ("I", "queue manager details:"),
    "AMQ8409": ("I", "queue details:"),
    "AMQ8414": ("I", "channel details:"),
    "AMQ8415": ("I", "queue manager command {0} complete."),
    "AMQ8417": ("I", "channel status details:"),
    "AMQ8450": ("I", "queue status details:"),
    "AMQ8457": ("I", "connection stopped."),
    "AMQ8550": ("I", "namelist details:"),
    "AMQ8551": ("I", "namelist changed."),
    "AMQ8552": ("I", "namelist created."),
    "AMQ8553": ("I", "namelist deleted."),
    "AMQ8560": ("I", "security cache refreshed."),
    "AMQ8563": ("I", "authentication information object created."),
    "AMQ8564": ("I", "authentication information object deleted."),
    "AMQ8566": ("I", "authentication information details:"),
    "AMQ8567": ("I", "authentication information object changed."),
    "AMQ8623": ("I", "listener changed."),
    "AMQ8624": ("I", "service changed."),
    "AMQ8625": ("I", "service created."),
    "AMQ8626": ("I", "listener created."),
    "AMQ8627": ("I", "service deleted."),
    "AMQ8628": ("I", "listener deleted."),
    "AMQ8629": ("I", "service details:"),
    "AMQ8630": ("I", "listener details:"),
    "AMQ8631": ("I", "listener status details:"),
    "AMQ8632": ("I", "service status details:"),
    "AMQ8633": ("I", "topic details:"),
    "AMQ8690": ("I", "topic created."),
    "AMQ8691": ("I", "topic changed."),
    "AMQ8694": ("I", "topic deleted."),
    "AMQ8705": ("I", "queue manager status details:"),
    "AMQ8706": ("I", "stop of listener accepted."),
    "AMQ8723": ("I", "publish/subscribe status details:"),
    "AMQ8732": ("I", "stop of service accepted."),
    "AMQ8733": ("I", "start of service accepted."),
    "AMQ8749": ("I", "retained publications cleared."),
    "AMQ8754": ("I", "topic status details:"),
    "AMQ8794": ("I", "command server started."),
    "AMQ8795": ("I", "command server stopped."),
    "AMQ8858": ("I", "communication information object created."),
    "AMQ8859": ("I", "communication information object changed."),
    "AMQ8860": ("I", "communication information object deleted."),
    "AMQ8861": ("I", "communication information details:"),
    "AMQ8862": ("I", "authority record set."),
    "AMQ8863": ("I", "authority record deleted."),
    "AMQ8864": ("I", "authority record details:"),
    "AMQ8865": ("I", "authority service details:"),
    "AMQ8866": ("I", "entity authority details:"),
    "AMQ8877": ("I", "channel authentication record set."),
    "AMQ8878": ("I", "channel authentication record details:"),
    "AMQ8898": ("I", "channel authentication record details, which are disabled now:"),
    "AMQ8932": ("I", "application status details:"),
    "AMQ9783": ("I", "Channel will run using MCAUSER('{0}')."),
}
"""Severity and text by id; ``{0}`` is an insert. Error messages have a text of their own each time."""

_NOTHING: dict[str, tuple[str, int]] = {
    "CHANNEL": ("AMQ8147", MQRCCF.CHANNEL_NOT_FOUND),
    "SUB": ("AMQ8147", MQRC.NO_SUBSCRIPTION),
    "CHLAUTH": ("AMQ8879", MQRCCF.CHLAUTH_NOT_FOUND),
    "CHSTATUS": ("AMQ8420", MQRCCF.CHANNEL_STATUS_NOT_FOUND),
    "CONN": ("AMQ8147", MQRCCF.NONE_FOUND),
    "LSSTATUS": ("AMQ8147", MQRCCF.LSTR_STATUS_NOT_FOUND),
    "SVSTATUS": ("AMQ8147", MQRCCF.SERV_STATUS_NOT_FOUND),
    "TPSTATUS": ("AMQ8147", MQRCCF.TOPIC_STRING_NOT_FOUND),
    "SBSTATUS": ("AMQ8147", MQRCCF.SUB_NAME_ERROR),
    "PUBSUB": ("AMQ8147", MQRCCF.NONE_FOUND),
    "APSTATUS": ("AMQ8147", MQRCCF.APPL_STATUS_NOT_FOUND),
    "POLICY": ("AMQ8147", MQRCCF.POLICY_NOT_FOUND),
}


def nothing_found(noun: str) -> tuple[str, int]:
    """Message id and reason code of a DISPLAY that finds nothing, for generic names too."""
    return _NOTHING.get(noun, ("AMQ8147", MQRC.UNKNOWN_OBJECT_NAME))


_QUEUE = ("AMQ8006", "AMQ8008", "AMQ8007", "AMQ8409")
_BY_KIND: dict[Kind, tuple[str, str, str, str]] = {
    Kind.QLOCAL: _QUEUE,
    Kind.QALIAS: _QUEUE,
    Kind.QREMOTE: _QUEUE,
    Kind.QMODEL: _QUEUE,
    Kind.CHANNEL: ("AMQ8014", "AMQ8016", "AMQ8015", "AMQ8414"),
    Kind.TOPIC: ("AMQ8690", "AMQ8691", "AMQ8694", "AMQ8633"),
    Kind.SUB: ("AMQ8094", "AMQ8095", "AMQ8097", "AMQ8096"),
    Kind.PROCESS: ("AMQ8010", "AMQ8011", "AMQ8012", "AMQ8407"),
    Kind.NAMELIST: ("AMQ8552", "AMQ8551", "AMQ8553", "AMQ8550"),
    Kind.LISTENER: ("AMQ8626", "AMQ8623", "AMQ8628", "AMQ8630"),
    Kind.SERVICE: ("AMQ8625", "AMQ8624", "AMQ8627", "AMQ8629"),
    Kind.AUTHINFO: ("AMQ8563", "AMQ8567", "AMQ8564", "AMQ8566"),
    Kind.COMMINFO: ("AMQ8858", "AMQ8859", "AMQ8860", "AMQ8861"),
    Kind.CHLAUTH: ("AMQ8877", "AMQ8877", "AMQ8877", "AMQ8878"),
    Kind.AUTHREC: ("AMQ8862", "AMQ8862", "AMQ8863", "AMQ8864"),
    Kind.QMGR: ("AMQ8005", "AMQ8005", "AMQ8005", "AMQ8408"),
}


def created(kind: Kind) -> str:
    """Id of the message that an object of this kind was made."""
    return _BY_KIND[kind][0]


def changed(kind: Kind) -> str:
    """Id of the message that an object of this kind was changed."""
    return _BY_KIND[kind][1]


def deleted(kind: Kind) -> str:
    """Id of the message that an object of this kind was deleted."""
    return _BY_KIND[kind][2]


def displayed(kind: Kind) -> str:
    """Id of the message that heads each displayed object of this kind."""
    return _BY_KIND[kind][3]
