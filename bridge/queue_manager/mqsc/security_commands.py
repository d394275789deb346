"""SET CHLAUTH, SET and DELETE AUTHREC (channels.md 14)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.objects import (
    KINDS,
    MQRCCF,
    Change,
    Definition,
    Kind,
    ObjectError,
    ObjectMissing,
    Value,
)
from mqbridge.bridge.queue_manager.objects.security_attributes import (
    AUTHORITY_OBJECTS,
    CHLAUTH_KEYS,
    authorities_of,
)

from .context import Context
from .definitions import take_attributes

QUEUE_MANAGER_PROFILE = "self"
"""Profile of the authority records of the queue manager itself."""
_ACTIONS = ("ADD", "REPLACE", "REMOVE", "REMOVEALL")
_LISTS = {"BLOCKUSER": "USERLIST", "BLOCKADDR": "ADDRLIST"}
_GROUPS = ("ALL", "ALLADM", "ALLMQI", "NONE")


def set_chlauth(context: Context) -> None:
    """SET CHLAUTH(profile) TYPE(type) [ACTION(ADD | REPLACE | REMOVE | REMOVEALL)] attributes."""
    command = context.command
    profile = command.required_name("channel profile")
    tables = KINDS[Kind.CHLAUTH].tables
    subtype = command.word("TYPE", tuple(tables))
    if not subtype:
        raise command.error(command.name_offset, f"TYPE with one of {', '.join(tables)}")
    action = command.word("ACTION", _ACTIONS, "ADD")
    given: dict[str, Value] = {**take_attributes(command, tables[subtype]), "TYPE": subtype}
    changes = {"ADD": _add, "REPLACE": _replace, "REMOVE": _remove, "REMOVEALL": _remove_all}[action](
        context, profile, given
    )
    context.commit(changes, "AMQ8877")


def _add(context: Context, profile: str, given: dict[str, Value]) -> list[Change]:
    """ADD: a new mapping, or more entries of a list."""
    keyword = _LISTS.get(str(given["TYPE"]))
    old = context.objects.find(Kind.CHLAUTH, profile, given)
    if keyword is None or old is None:
        return [context.objects.define(Kind.CHLAUTH, profile, given, context.now)]
    more = given.get(keyword, ())
    entries = tuple(dict.fromkeys((*old.texts(keyword), *(more if isinstance(more, tuple) else ()))))
    return [context.objects.alter(Kind.CHLAUTH, profile, {**given, keyword: entries}, context.now)]


def _replace(context: Context, profile: str, given: dict[str, Value]) -> list[Change]:
    """REPLACE: the record anew, whether there was one or not."""
    return [context.objects.define(Kind.CHLAUTH, profile, given, context.now, replace=True)]


def _remove(context: Context, profile: str, given: dict[str, Value]) -> list[Change]:
    """REMOVE: a mapping, or entries of a list; a list that becomes empty goes with its record."""
    keyword = _LISTS.get(str(given["TYPE"]))
    old = context.objects.existing(Kind.CHLAUTH, profile, given)
    if keyword is not None:
        unwanted = given.get(keyword, ())
        if not isinstance(unwanted, tuple) or not unwanted:
            raise ObjectError(f"{keyword} must be given", amq="AMQ8405", reason=MQRCCF.PARM_MISSING)
        left = tuple(entry for entry in old.texts(keyword) if entry not in unwanted)
        if len(left) == len(old.texts(keyword)):
            raise ObjectMissing(f"no entry of {profile} is named", amq="AMQ8879", reason=MQRCCF.CHLAUTH_NOT_FOUND)
        if left:
            return [context.objects.alter(Kind.CHLAUTH, profile, {"TYPE": old.subtype, keyword: left}, context.now)]
    return [context.objects.delete(Kind.CHLAUTH, profile, given)]


def _remove_all(context: Context, profile: str, given: dict[str, Value]) -> list[Change]:
    """REMOVEALL: every record of this profile and type."""
    if len(given) > 1:
        raise ObjectError("ACTION(REMOVEALL) takes TYPE alone", amq="AMQ8405", reason=MQRCCF.WRONG_CHLAUTH_ACTION)
    found = [each for each in _records(context, Kind.CHLAUTH, profile) if each.subtype == given["TYPE"]]
    if not found:
        context.objects.existing(Kind.CHLAUTH, profile, given)
    return [
        context.objects.delete(Kind.CHLAUTH, each.name, {key: each[key] for key in CHLAUTH_KEYS if key in each})
        for each in found
    ]


def _records(context: Context, kind: Kind, profile: str) -> list[Definition]:
    """The records of exactly this profile (which may itself end in ``*``)."""
    return [each for each in context.objects.select(kind) if each.name == profile]


def set_authrec(context: Context) -> None:
    """SET AUTHREC PROFILE(p) OBJTYPE(t) PRINCIPAL(…) | GROUP(…) [AUTHADD(…)] [AUTHRMV(…)]."""
    profile, object_type, entities = _entities(context)
    adding, removing = context.command.several("AUTHADD"), context.command.several("AUTHRMV")
    if not adding and not removing:
        raise context.command.error(context.command.name_offset, "AUTHADD or AUTHRMV")
    context.command.finish()
    added, removed = _authorities(adding, object_type), _authorities(removing, object_type)
    changes: list[Change] = []
    try:
        for entity_type, entity in entities:
            keys: dict[str, Value] = {"OBJTYPE": object_type, "ENTTYPE": entity_type, "ENTITY": entity}
            old = context.objects.find(Kind.AUTHREC, profile, keys)
            held = frozenset(old.texts("AUTHLIST")) if old is not None else frozenset()
            keys["AUTHLIST"] = tuple(sorted((held - removed) | added))
            changes.append(context.objects.define(Kind.AUTHREC, profile, keys, context.now, replace=True))
    except ObjectError:
        for change in reversed(changes):
            context.objects.undo(change)
        raise
    context.commit(changes, "AMQ8862")


def delete_authrec(context: Context) -> None:
    """DELETE AUTHREC PROFILE(p) OBJTYPE(t) PRINCIPAL(…) | GROUP(…)."""
    profile, object_type, entities = _entities(context)
    context.command.finish()
    keyed: list[dict[str, Value]] = [
        {"OBJTYPE": object_type, "ENTTYPE": entity_type, "ENTITY": entity} for entity_type, entity in entities
    ]
    for keys in keyed:
        context.objects.existing(Kind.AUTHREC, profile, keys)
    context.commit([context.objects.delete(Kind.AUTHREC, profile, keys) for keys in keyed], "AMQ8863")


def _entities(context: Context) -> tuple[str, str, list[tuple[str, str]]]:
    """Profile, object type, and entities (PRINCIPAL or GROUP, name) of the command."""
    command = context.command
    object_type = command.word("OBJTYPE", AUTHORITY_OBJECTS)
    if not object_type:
        raise command.error(command.name_offset, f"OBJTYPE with one of {', '.join(AUTHORITY_OBJECTS)}")
    profile = command.one("PROFILE") or (QUEUE_MANAGER_PROFILE if object_type == "QMGR" else "")
    if object_type == "QMGR":
        profile = QUEUE_MANAGER_PROFILE if profile.upper() in ("SELF", context.objects.name.upper()) else profile
    if not profile:
        raise command.error(command.name_offset, "PROFILE", reason=MQRCCF.PROFILE_NAME_MISSING)
    entities = [(word, name) for word in ("PRINCIPAL", "GROUP") for name in dict.fromkeys(command.several(word))]
    if not entities:
        raise command.error(command.name_offset, "PRINCIPAL or GROUP", reason=MQRCCF.ENTITY_NAME_MISSING)
    return profile, object_type, entities


def _authorities(words: list[str], object_type: str) -> frozenset[str]:
    """The authorities of the words of AUTHADD or AUTHRMV. Raises `ObjectError` for an unknown one.

    Whether they apply to the object type is checked when the record is defined.
    """
    found: frozenset[str] = frozenset()
    for word in words:
        expanded = authorities_of(word.upper(), object_type)
        if word.upper() not in _GROUPS and not expanded:
            raise ObjectError(f"{word} is no authority", amq="AMQ8405", reason=MQRCCF.AUTH_VALUE_ERROR)
        found |= expanded
    return found
