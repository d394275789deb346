"""DISPLAY ENTAUTH and AUTHSERV: effective authorities of an entity, and the authorization service (channels.md 14)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import MQRCCF
from mqbridge.bridge.queue_manager.objects.security_attributes import AUTHORITY_OBJECTS, authorities_of
from mqbridge.bridge.security import Security
from mqbridge.protocol.constants import MQRC

from .context import Context
from .security_commands import QUEUE_MANAGER_PROFILE
from .status import show_rows
from .status_fields import AUTHORITY_SERVICE, ENTITY_AUTHORITY

SERVICE_COMPONENT: Final = "mqbridge.auth.service"
"""Name of the one authorization service."""
INTERFACE_VERSION: Final = 6
"""MQZAS_VERSION_6: authorities of principals and groups, and password authentication."""


def display_entauth(context: Context) -> None:
    """DISPLAY ENTAUTH PRINCIPAL() | GROUP() OBJNAME() OBJTYPE() [SERVCOMP()] [ALL | fields].

    A principal has the authorities of its records and its groups'; administrators have all, and creators of a dynamic
    queue for that.
    """
    command, security = context.command, context.manager.security
    object_type = command.word("OBJTYPE", AUTHORITY_OBJECTS)
    if not object_type:
        reason = MQRCCF.OBJECT_TYPE_MISSING
        raise command.error(command.name_offset, f"OBJTYPE with one of {', '.join(AUTHORITY_OBJECTS)}", reason=reason)
    name = command.one("OBJNAME") or ""
    if object_type == "QMGR":
        name = QUEUE_MANAGER_PROFILE
    elif not name:
        raise command.error(command.name_offset, "OBJNAME", reason=MQRCCF.PARM_MISSING)
    principal, group = command.one("PRINCIPAL"), command.one("GROUP")
    if (principal is None) is (group is None):
        raise command.error(command.name_offset, "PRINCIPAL or GROUP", reason=MQRCCF.ENTITY_NAME_MISSING)
    _require_component(context)
    kind, entity = ("PRINCIPAL", principal) if principal is not None else ("GROUP", group or "")
    _require_known(security, kind, entity)
    row: StatusRow = {
        "OBJNAME": context.objects.name if object_type == "QMGR" else name,
        "ENTITY": entity,
        "ENTTYPE": kind,
        "OBJTYPE": object_type,
        "AUTHLIST": _effective(security, kind, entity, object_type, name),
    }
    missing = f"{entity} does not meet the condition of WHERE"
    show_rows(context, [row], ENTITY_AUTHORITY, missing, not command.parameters)


def _effective(security: Security, kind: str, entity: str, object_type: str, name: str) -> tuple[str, ...]:
    authorities = security.authorities
    if authorities.has_all(kind, entity, object_type, name):
        held = authorities_of("ALL", object_type)
    elif kind == "PRINCIPAL":
        held = authorities.held(entity, object_type, name)
    else:
        held = authorities.held_by_group(entity, object_type, name)
    return tuple(sorted(held)) or ("NONE",)


def _require_known(security: Security, kind: str, entity: str) -> None:
    """Raise `MQError` 2292 for a name that is neither a user nor in a record."""
    if not security.authorities.knows(kind, entity):
        raise MQError(MQRC.UNKNOWN_ENTITY, f"{kind.lower()} {entity}")


def _require_component(context: Context) -> None:
    """Raise `MQError` 2410 for a SERVCOMP other than `SERVICE_COMPONENT`."""
    component = (context.command.one("SERVCOMP") or "").strip()
    if component not in ("", SERVICE_COMPONENT):
        raise MQError(MQRC.UNKNOWN_COMPONENT_NAME, component)


def display_authserv(context: Context) -> None:
    """DISPLAY AUTHSERV [ALL | IFVER | UIDSUPP]."""
    _require_component(context)
    row: StatusRow = {"AUTHSERV": (SERVICE_COMPONENT,), "IFVER": INTERFACE_VERSION, "UIDSUPP": "YES"}
    missing = "the authorization service does not meet the condition of WHERE"
    show_rows(context, [row], AUTHORITY_SERVICE, missing, not context.command.parameters)
