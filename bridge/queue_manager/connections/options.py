"""Options of MQCONNX (mqi.md 1, mq-wire.md 9.13)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mqbridge.bridge.queue_manager.effects import Program
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.protocol.constants import MQCNO, MQRC

MAX_CONNECTIONS: Final = 100_000
"""Most connections at a time; one more is refused with 2025."""

_CHOICES: Final = (
    (MQCNO.HANDLE_SHARE_NONE, MQCNO.HANDLE_SHARE_BLOCK, MQCNO.HANDLE_SHARE_NO_BLOCK),
    (MQCNO.FASTPATH_BINDING, MQCNO.SHARED_BINDING, MQCNO.ISOLATED_BINDING),
    (MQCNO.LOCAL_BINDING, MQCNO.CLIENT_BINDING),
    (MQCNO.ACCOUNTING_MQI_ENABLED, MQCNO.ACCOUNTING_MQI_DISABLED),
    (MQCNO.ACCOUNTING_Q_ENABLED, MQCNO.ACCOUNTING_Q_DISABLED),
    (MQCNO.NO_CONV_SHARING, MQCNO.ALL_CONVS_SHARE),
    (MQCNO.RECONNECT, MQCNO.RECONNECT_DISABLED, MQCNO.RECONNECT_Q_MGR),
    (MQCNO.ACTIVITY_TRACE_ENABLED, MQCNO.ACTIVITY_TRACE_DISABLED),
)
_SERIALIZING: Final = int(
    MQCNO.SERIALIZE_CONN_TAG_Q_MGR
    | MQCNO.SERIALIZE_CONN_TAG_QSG
    | MQCNO.RESTRICT_CONN_TAG_Q_MGR
    | MQCNO.RESTRICT_CONN_TAG_QSG
)
"""Serialization by connection tag: on z/OS only."""
_CHOICE_BITS: Final = tuple(sum(map(int, choices)) for choices in _CHOICES)


@dataclass(slots=True)
class ConnectOptions:
    """Options of a connect (mqi.md 1)."""

    options: int = MQCNO.NONE
    """MQCNO bits."""
    q_mgr_name: str = ""
    """Requested queue manager; blank, or with a leading ``*``, for the one served."""
    application: Application = field(default_factory=Application)
    """The application that connects."""
    program: Program | None = None
    """Notified when requests of its session are completed."""
    checked: bool = False
    """Authorities of its user are checked; otherwise it may do everything."""
    inside: bool = False
    """A part of the queue manager's own service (REST, command server): not shown by DISPLAY CONN, not limited, and not
    stopped before the end."""

    def __post_init__(self) -> None:
        self.options = int(self.options)

    @property
    def reconnectable(self) -> bool:
        """Whether the program asked for automatic reconnection."""
        return bool(self.options & (MQCNO.RECONNECT | MQCNO.RECONNECT_Q_MGR))


def check_connect_options(options: int) -> None:
    """Raise `MQError` 2046 for MQCNO bits that exclude each other or are valid on z/OS only."""
    for bits, choices in zip(_CHOICE_BITS, _CHOICES, strict=True):
        given = options & bits
        if given & (given - 1):  # more than one bit
            raise MQError(MQRC.OPTIONS_ERROR, " with ".join(str(each) for each in choices if options & each))
    if options & _SERIALIZING:
        raise MQError(MQRC.OPTIONS_ERROR, str(MQCNO(options & _SERIALIZING)))
