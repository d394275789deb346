"""Rules on names and on combinations of attributes of a definition."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .channel_attributes import EXITS
from .definition import Definition
from .errors import AttributeMissing, AttributeUnknown, NameRefused, ObjectError, ValueRefused, WrongType
from .kinds import KINDS, Kind
from .names import CONTROL, check_name, is_profile
from .queue_attributes import EXPIRY_LIMIT
from .reasons import MQRCCF
from .security_attributes import CHLAUTH_REQUIRED, authorities_of
from .tls_rules import check_channel_tls, check_peer_name
from .values import Value

CONNECTION_NAME = re.compile(r"\s*(?P<host>\[[0-9A-Fa-f:.%]+\]|[^(),\s]+)\s*(\(\s*(?P<port>[0-9]{1,5})\s*\))?\s*")
MAX_CONNECTION_NAMES = 64
STATUS_EXIT = 0x17
"""Status code for a channel with an exit (mq-wire.md 5.14)."""
_DEFAULT_SUBSCRIPTION = "SYSTEM.DEFAULT.SUB"
_CUSTOM_CAP = re.compile(r"(?:^|[ ,])CAPEXPRY\(([^()]*)\)", re.IGNORECASE)


def check_definition_name(kind: Kind, name: str) -> None:
    """Raise `NameRefused` unless `name` can name an object of this kind (channels.md 16)."""
    length = KINDS[kind].name_length
    if kind is Kind.SUB:
        if not name.strip() or len(name) > length or CONTROL.search(name):
            raise NameRefused("a subscription name has 1 to 10240 printable characters", reason=MQRCCF.SUB_NAME_ERROR)
    elif kind in (Kind.CHLAUTH, Kind.AUTHREC):
        if not is_profile(name, length) and not (kind is Kind.AUTHREC and name == ""):
            raise NameRefused(f"profile '{name}' is no name or generic name", reason=MQRCCF.PROFILE_NAME_ERROR)
    else:
        check_name(name, length, f"{KINDS[kind].noun} name")


def check_rules(definition: Definition, supplied: bool = False) -> None:
    """Raise `ObjectError` for conflicting or missing attributes; `supplied` objects may lack required ones."""
    if definition.kind is Kind.CHANNEL:
        _check_channel(definition, supplied)
    elif definition.kind is Kind.CHLAUTH:
        _check_chlauth(definition)
    elif definition.kind is Kind.AUTHREC:
        _check_authrec(definition)
    elif definition.kind is Kind.TOPIC and not definition.text("TOPICSTR") and not supplied:
        raise AttributeMissing("TOPICSTR must be given")
    elif definition.kind is Kind.SUB and not supplied:
        _check_subscription(definition)
    elif definition.kind is Kind.QMGR:
        _check_manager(definition)
    if "QDEPTHHI" in definition and definition.integer("QDEPTHLO") > definition.integer("QDEPTHHI"):
        raise ValueRefused("QDEPTHLO is greater than QDEPTHHI")
    if "CAPEXPRY" in definition:
        expiry_cap(definition)
    if definition.get("CLUSTER") and definition.get("CLUSNL"):
        raise ObjectError("CLUSTER and CLUSNL cannot both be given", amq="AMQ8405", reason=MQRCCF.PARM_CONFLICT)


def check_type(definition: Definition, kind: Kind, subtype: str) -> None:
    """Raise `WrongType` unless a definition is of this kind and type."""
    if definition.kind is not kind:
        raise WrongType(f"{definition.name} is a {KINDS[definition.kind].noun}, not a {KINDS[kind].noun}")
    if definition.subtype != subtype:
        selector = KINDS[kind].selector
        raise WrongType(f"{definition.name} has {selector}({definition.subtype}), not {selector}({subtype})")


def check_fixed(old: Definition, given: Mapping[str, Value]) -> None:
    """Raise `AttributeUnknown` if a replacement changes a create-only attribute."""
    for keyword, value in given.items():
        if old.table[keyword].create_only and old[keyword] != value:
            raise AttributeUnknown(f"{keyword} of {old.name} cannot be changed", reason=MQRCCF.ATTR_VALUE_FIXED)


def checked_values(kind: Kind, subtype: str, given: Mapping[str, Value], altering: bool) -> dict[str, Value]:
    """The attributes given, in the form that is kept.

    Raises `AttributeUnknown` for one that the verb cannot set, `ValueRefused`.
    """
    info = KINDS[kind]
    checked: dict[str, Value] = {}
    for keyword, value in given.items():
        attribute = info.tables[subtype].find(keyword)
        if attribute.read_only:
            raise AttributeUnknown(f"{keyword} cannot be set")
        if altering and attribute.create_only:
            if keyword == info.selector or keyword in info.keys:
                continue
            raise AttributeUnknown(f"{keyword} cannot be altered")
        checked[attribute.name] = attribute.type.check(value)
    return checked


def connection_names(text: str) -> list[tuple[str, int]]:
    """(host, port) of each entry of a CONNAME, in order; port 1414 by default. Raises `ValueRefused`."""
    if not text.strip():
        return []
    found = []
    for entry in text.split(","):
        match = CONNECTION_NAME.fullmatch(entry)
        port = int(match["port"] or 1414) if match else 0
        if match is None or not 0 < port < 65536:
            raise ValueRefused(f"CONNAME entry '{entry}' is not host(port)", reason=MQRCCF.CONN_NAME_ERROR)
        found.append((match["host"].strip("[]"), port))
    if len(found) > MAX_CONNECTION_NAMES:
        raise ValueRefused(f"CONNAME has more than {MAX_CONNECTION_NAMES} entries", reason=MQRCCF.CONN_NAME_ERROR)
    return found


def expiry_cap(definition: Definition) -> int:
    """CAPEXPRY of a queue or topic: tenths of a second, or the number of a word.

    Older releases have it in CUSTOM (``CUSTOM('CAPEXPRY(600)')``, channels.md 17.3). Raises `ObjectError` if both are
    given, or that in CUSTOM is invalid.
    """
    cap = definition.integer("CAPEXPRY")
    older = _CUSTOM_CAP.search(definition.text("CUSTOM"))
    if older is None:
        return cap
    if cap != definition.table["CAPEXPRY"].default:
        raise ObjectError("CAPEXPRY is given and in CUSTOM too", amq="AMQ8405", reason=MQRCCF.PARM_CONFLICT)
    text = older[1].strip()
    if not text.isdecimal() or not 0 < int(text) <= EXPIRY_LIMIT:
        raise ValueRefused(f"'{text}' in CUSTOM is not a number from 1 to {EXPIRY_LIMIT}")
    return int(text)


def _check_channel(definition: Definition, supplied: bool) -> None:
    """Check the attributes that each CHLTYPE requires (channels.md 1)."""
    subtype = definition.subtype
    if definition.text("TRPTYPE") == "TCP":
        connection_names(definition.text("CONNAME"))
    if supplied:
        return
    check_channel_tls(definition)
    if subtype in ("SDR", "RQSTR", "CLNTCONN", "CLUSSDR") and not definition.text("CONNAME").strip():
        raise AttributeMissing(f"CONNAME must be given for CHLTYPE({subtype})", reason=MQRCCF.MISSING_CONN_NAME)
    if subtype in ("SDR", "SVR") and not definition.text("XMITQ"):
        raise AttributeMissing(f"XMITQ must be given for CHLTYPE({subtype})", reason=MQRCCF.XMIT_Q_NAME_ERROR)
    if definition.get("PUTAUT") in ("ONLYMCA", "ALTMCA"):
        raise ValueRefused(f"PUTAUT({definition['PUTAUT']}) exists on z/OS only")
    if "ANY" in definition.texts("COMPMSG") and subtype in ("SDR", "SVR", "CLUSSDR"):
        raise ValueRefused(f"COMPMSG(ANY) is for receiving ends, not for CHLTYPE({subtype})")


def _check_chlauth(definition: Definition) -> None:
    """Check the attributes that each TYPE of channel authentication record requires (channels.md 14)."""
    subtype = definition.subtype
    needed = CHLAUTH_REQUIRED[subtype]
    if not definition[needed]:
        raise AttributeMissing(f"{needed} must be given for TYPE({subtype})", reason=MQRCCF.PARM_MISSING)
    if subtype == "BLOCKADDR" and definition.name != "*":
        raise NameRefused("the profile of TYPE(BLOCKADDR) must be '*'", reason=MQRCCF.PROFILE_NAME_ERROR)
    for address in (definition.text("ADDRESS"), *definition.texts("ADDRLIST")):
        check_address(address)
    check_peer_name(definition, "SSLPEER")
    check_peer_name(definition, "SSLCERTI")
    if "USERSRC" not in definition:
        return
    source, user = definition["USERSRC"], definition["MCAUSER"]
    if source == "MAP" and not user:
        raise AttributeMissing("MCAUSER must be given with USERSRC(MAP)", reason=MQRCCF.WRONG_CHLAUTH_USERSRC)
    if source != "MAP" and user:
        raise ObjectError(
            f"MCAUSER does not go with USERSRC({source})", amq="AMQ8405", reason=MQRCCF.WRONG_CHLAUTH_USERSRC
        )
    if source != "NOACCESS" and definition["WARN"] == "YES":
        raise ObjectError("WARN(YES) needs USERSRC(NOACCESS)", amq="AMQ8405", reason=MQRCCF.PARM_CONFLICT)


def _check_authrec(definition: Definition) -> None:
    """Check that the record has an entity, and that the authorities apply to its OBJTYPE."""
    if not definition.text("ENTITY"):
        raise AttributeMissing("PRINCIPAL or GROUP must be given", reason=MQRCCF.ENTITY_NAME_MISSING)
    object_type = definition.text("OBJTYPE")
    for authority in definition.texts("AUTHLIST"):
        if authority not in authorities_of("ALL", object_type):
            raise ValueRefused(
                f"{authority} is no authority for OBJTYPE({object_type})", reason=MQRCCF.AUTH_VALUE_ERROR
            )


def check_address(address: str) -> None:
    """Raise `ValueRefused` unless blank, a host name or address, or a pattern of one.

    ``*`` may stand for parts, ``1-9`` for a range of one part of an IP version 4 address.
    """
    if not re.fullmatch(r"[A-Za-z0-9.:*_-]*", address):
        raise ValueRefused(f"'{address}' is no address pattern", reason=MQRCCF.ADDRESS_ERROR)
    parts = address.split(".")
    if re.fullmatch(r"[0-9.*-]+", address):
        bounds = [[int(number) for number in part.split("-")] for part in parts if re.fullmatch(r"\d+(-\d+)?", part)]
        fits = len(parts) <= 4 and len(bounds) + parts.count("*") == len(parts)
        if not fits or any(bound[0] > bound[-1] or bound[-1] > 255 for bound in bounds):
            raise ValueRefused(f"'{address}' is no address pattern", reason=MQRCCF.ADDRESS_ERROR)


def _check_subscription(definition: Definition) -> None:
    if definition.name != _DEFAULT_SUBSCRIPTION:  # names neither
        if not definition.text("TOPICSTR") and not definition.text("TOPICOBJ"):
            raise AttributeMissing("TOPICSTR or TOPICOBJ must be given")
        if definition["DESTCLAS"] == "PROVIDED" and not definition.text("DEST"):
            raise AttributeMissing("DEST must be given with DESTCLAS(PROVIDED)")
    if not re.fullmatch(r"([0-9A-Fa-f]{2}){0,24}", definition.text("DESTCORL")):
        raise ValueRefused("DESTCORL is not up to 48 hexadecimal digits")


def _check_manager(definition: Definition) -> None:
    if definition.text("DEFXMITQ") == "SYSTEM.CLUSTER.TRANSMIT.QUEUE":
        raise ValueRefused("DEFXMITQ cannot be SYSTEM.CLUSTER.TRANSMIT.QUEUE")
    if definition.text("REPOS") and definition.text("REPOSNL"):
        raise ObjectError("REPOS and REPOSNL cannot both be given", amq="AMQ8405", reason=MQRCCF.PARM_CONFLICT)


def unsafe_attributes(channel: Definition) -> list[tuple[str, int, str]]:
    """(attribute, status code for the partner, AMQ id) of each attribute set on a channel that is not implemented.

    A channel with any does not start and refuses inbound connections.
    """
    return [(exit_name, STATUS_EXIT, "AMQ9536") for exit_name in EXITS if channel.get(exit_name)]
