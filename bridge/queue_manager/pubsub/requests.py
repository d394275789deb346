"""MQSUB requests: the MQSD and its checks, and the subscription attributes it sets (mqi.md 17 rows 9 to 18)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import NO_LIMIT, date_and_time
from mqbridge.bridge.queue_manager.options import HIGHEST_LEVEL, NO_ID
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQOO, MQPRI, MQRC, MQSO

from .subscription import priority_word

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.handle import Handle
    from mqbridge.bridge.queue_manager.objects import Value

MAX_NAME: Final = 10_240
"""Characters of a SubName (MQ_SUB_NAME_LENGTH)."""
MAX_USER_DATA: Final = 10_240
"""Characters of SubUserData (MQ_USER_DATA_LENGTH)."""
MAX_EXPIRY: Final = 999_999_999
MAX_PRIORITY: Final = 9
MANAGED_OPEN_OPTIONS: Final = int(MQOO.INPUT_AS_Q_DEF | MQOO.BROWSE | MQOO.INQUIRE | MQOO.SAVE_ALL_CONTEXT)
"""Default MQOO bits for a managed queue."""
PROVIDED_OPEN_OPTIONS: Final = int(MQOO.INPUT_AS_Q_DEF | MQOO.BROWSE)
"""MQOO bits for a provided queue when its subscription is resumed with MQSO_MANAGED."""
_KNOWN: Final = reduce(or_, map(int, MQSO))
_VERBS: Final = int(MQSO.CREATE | MQSO.ALTER | MQSO.RESUME)
_CHOICES: Final = (
    (MQSO.FIXED_USERID, MQSO.ANY_USERID),
    (MQSO.WILDCARD_CHAR, MQSO.WILDCARD_TOPIC),
    (MQSO.READ_AHEAD, MQSO.NO_READ_AHEAD),
    (MQSO.GROUP_SUB, MQSO.MANAGED),
    (MQSO.SET_CORREL_ID, MQSO.MANAGED),
)


@dataclass(frozen=True, slots=True)
class SubscriptionRequest:
    """An MQSD.

    ``options``: MQSO bits. ``object_name`` and ``object_string``: the topic. ``name``: SubName. ``selection``:
    SelectionString. ``correl_id``: SubCorrelId, used with MQSO_SET_CORREL_ID. ``expiry``: tenths of a second, -1 for
    none. ``priority``: PubPriority. ``accounting_token`` (32 bytes) and ``appl_identity_data``: used with
    MQSO_SET_IDENTITY_CONTEXT. ``level``: SubLevel. ``application``: who subscribes. ``destination``: the open queue
    for the publications, without MQSO_MANAGED. ``open_options``: MQOO bits for a managed queue.

    ``shared``: several handles may have the subscription open; a non-durable one ends with the last of them.
    ``replaces``: replace a subscription of this name with another topic or selection string, unless it is open;
    otherwise these cannot be altered. ``identifier``: SubId of the subscription to resume, instead of a name; the
    handle does not count as one that has the subscription open.
    """

    options: int
    object_name: str = ""
    object_string: str = ""
    name: str = ""
    user_data: str = ""
    selection: str = ""
    correl_id: bytes = NO_ID
    expiry: int = NO_LIMIT
    priority: int = MQPRI.AS_PUBLISHED
    accounting_token: bytes = bytes(32)
    appl_identity_data: str = ""
    level: int = 1
    application: Application = field(default_factory=Application)
    destination: Handle | None = None
    open_options: int = MANAGED_OPEN_OPTIONS
    shared: bool = False
    replaces: bool = False
    identifier: bytes = b""

    def __post_init__(self) -> None:
        for name in ("options", "priority", "open_options"):
            object.__setattr__(self, name, int(getattr(self, name)))

    def has(self, option: int) -> bool:
        """Whether an MQSO bit is set."""
        return bool(self.options & option)

    @property
    def names_topic(self) -> bool:
        """Whether a topic is given; MQSO_RESUME does not need one."""
        return bool(self.object_name or self.object_string)

    @property
    def only_resumes(self) -> bool:
        """Whether MQSO_RESUME is the only verb, so that durability and destination in the MQSD are ignored."""
        return self.options & _VERBS == MQSO.RESUME

    def check(self) -> None:
        """Check the fields on their own. Raises `MQError` 2046, 2440, 2431, 2424, 2013, 2050."""
        options = self.options
        if not options & _VERBS:
            raise MQError(MQRC.OPTIONS_ERROR, "neither CREATE nor RESUME nor ALTER")
        if options & ~_KNOWN:
            raise MQError(MQRC.OPTIONS_ERROR, f"unknown option 0x{options & ~_KNOWN:X}")
        if self.identifier and options & _VERBS != MQSO.RESUME:
            raise MQError(MQRC.OPTIONS_ERROR, "by its SubId a subscription is resumed alone")
        for choice in _CHOICES:
            if all(options & each for each in choice):
                raise MQError(MQRC.OPTIONS_ERROR, " with ".join(map(str, choice)))
        if options & MQSO.GROUP_SUB and not options & MQSO.SET_CORREL_ID:
            raise MQError(MQRC.OPTIONS_ERROR, "GROUP_SUB without SET_CORREL_ID")
        if len(self.name) > MAX_NAME or not self.name.isprintable():
            raise MQError(MQRC.SUB_NAME_ERROR, f"{len(self.name)} characters, or some that cannot be printed")
        if len(self.user_data) > MAX_USER_DATA:
            raise MQError(MQRC.SUB_USER_DATA_ERROR, f"{len(self.user_data)} characters")
        if not 0 <= self.level <= HIGHEST_LEVEL:
            raise MQError(MQRC.SD_ERROR, f"SubLevel {self.level}")
        if self.expiry != NO_LIMIT and not 0 < self.expiry <= MAX_EXPIRY:
            raise MQError(MQRC.EXPIRY_ERROR, f"SubExpiry {self.expiry}")
        if self.priority not in (MQPRI.AS_PUBLISHED, MQPRI.AS_Q_DEF) and not 0 <= self.priority <= MAX_PRIORITY:
            raise MQError(MQRC.PRIORITY_ERROR, f"PubPriority {self.priority}")


def new_values(
    request: SubscriptionRequest, topic: str, destination: tuple[str, str], ids: tuple[bytes, bytes], now: Time
) -> dict[str, Value]:
    """Attributes of the definition of a new subscription.

    ``destination``: queue and queue manager. ``ids``: its SUBID, and its CorrelId unless the request sets one.
    """
    day, clock = date_and_time(now)
    return {
        "TOPICSTR": topic,
        "TOPICOBJ": request.object_name,
        "DEST": destination[0],
        "DESTQMGR": destination[1],
        "DESTCLAS": "MANAGED" if request.has(MQSO.MANAGED) else "PROVIDED",
        "SELECTOR": request.selection,
        "SUBLEVEL": request.level,
        "SUBSCOPE": "QMGR" if request.has(MQSO.SCOPE_QMGR) else "ALL",
        "WSCHEMA": "CHAR" if request.has(MQSO.WILDCARD_CHAR) else "TOPIC",
        "SUBID": ids[0].hex().upper(),
        "DURABLE": "YES" if request.has(MQSO.DURABLE) else "NO",
        "SUBTYPE": "API",
        "GROUPSUB": "YES" if request.has(MQSO.GROUP_SUB) else "NO",
        "SHARED": "YES" if request.shared else "NO",
        "DESTCORL": ids[1].hex().upper(),
        "CRDATE": day,
        "CRTIME": clock,
        "ALTDATE": day,
        "ALTTIME": clock,
        **alterable_values(request),
    }


def alterable_values(request: SubscriptionRequest) -> dict[str, Value]:
    """Attributes that a request sets on a new and on an altered subscription."""
    values: dict[str, Value] = {
        "EXPIRY": request.expiry,
        "USERDATA": request.user_data,
        "PUBPRTY": priority_word(request.priority),
        "REQONLY": "YES" if request.has(MQSO.PUBLICATIONS_ON_REQUEST) else "NO",
        "SUBUSER": request.application.user,
        "VARUSER": "ANY" if request.has(MQSO.ANY_USERID) else "FIXED",
    }
    if request.has(MQSO.SET_CORREL_ID):
        values["DESTCORL"] = request.correl_id.hex().upper()
    if request.has(MQSO.SET_IDENTITY_CONTEXT):
        values["PUBACCT"] = request.accounting_token.hex().upper()
        values["PUBAPPID"] = request.appl_identity_data
    elif request.has(MQSO.CREATE):
        values["PUBACCT"] = request.application.accounting_token.hex().upper()
    return values
