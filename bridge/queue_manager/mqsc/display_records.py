"""DISPLAY CHLAUTH, with MATCH(RUNCHECK), and DISPLAY AUTHREC (channels.md 14)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.objects import MQRCCF, Definition, Kind, ObjectError, is_generic, matches
from mqbridge.bridge.queue_manager.objects.security_attributes import AUTHORITY_OBJECTS
from mqbridge.bridge.security import Caller, is_address
from mqbridge.bridge.security.tls import PeerCertificate, PeerNameError, certificate_called

from .context import Context
from .display import SUBJECTS, definition_row, finder, selected, show, take_keywords, take_types
from .messages import displayed
from .parser import Command


def display_chlauth(context: Context) -> None:
    """DISPLAY CHLAUTH(profile) [MATCH(EXACT | GENERIC | RUNCHECK)] [TYPE()] [WHERE()] [ALL | attributes]."""
    command = context.command
    profile = command.required_name("channel profile")
    match = command.word("MATCH", ("EXACT", "GENERIC", "RUNCHECK"), "EXACT" if not is_generic(profile) else "")
    if match == "RUNCHECK":
        _run_check(context, profile)
        return
    wanted = take_types(context, SUBJECTS["CHLAUTH"])
    addresses = command.one("ADDRESS")

    def meant(each: Definition) -> bool:
        if match == "EXACT":
            return each.name == profile
        if match == "GENERIC":
            return matches(each.name, profile) or each.name == profile
        return matches(profile, each.name)

    definitions = [
        each
        for each in context.objects.select(Kind.CHLAUTH)
        if meant(each) and (wanted is None or wanted(each)) and addresses in (None, each.get("ADDRESS"))
    ]
    show(context, SUBJECTS["CHLAUTH"], definitions, False, profile)


def _run_check(context: Context, channel: str) -> None:
    """MATCH(RUNCHECK) ADDRESS(address) CLNTUSER(user) | QMNAME(name) [SSLPEER(name) [SSLCERTI(name)]]: the record that
    applies to a caller, who has a certificate if SSLPEER is given.

    If none does, the user that the channel would run as.
    """
    command = context.command
    if is_generic(channel):
        raise ObjectError(
            "MATCH(RUNCHECK) needs the name of one channel", amq="AMQ8405", reason=MQRCCF.CHLAUTH_RUNCHECK_ERROR
        )
    address, user, queue_manager = command.one("ADDRESS"), command.one("CLNTUSER"), command.one("QMNAME")
    if address is None or (user is None) is (queue_manager is None):
        raise command.error(
            command.name_offset,
            "ADDRESS, and CLNTUSER or QMNAME, beside MATCH(RUNCHECK)",
            reason=MQRCCF.CHLAUTH_RUNCHECK_ERROR,
        )
    if not is_address(address):
        raise ObjectError(
            f"'{address}' is no address that somebody can have", amq="AMQ8405", reason=MQRCCF.CHLAUTH_RUNCHECK_ERROR
        )
    certificate = _certificate(command)
    subject = SUBJECTS["CHLAUTH"]
    everything = command.flag("ALL")
    keywords = take_keywords(context, finder(subject))
    caller = Caller(
        channel,
        address,
        client=user is not None,
        user=user or "",
        queue_manager=queue_manager or "",
        certificate=certificate,
    )
    admission = context.manager.security.run_check(context.objects.channel(channel), caller)
    record = admission.record
    if not isinstance(record, Definition):
        context.answer("AMQ9783", admission.user)
        return
    row = definition_row(context, subject, record)
    if not everything and keywords:
        row = selected(row, {subject.name, subject.type}, keywords, None)
    disabled = context.objects.manager.text("CHLAUTH") == "DISABLED"
    context.reply.add("AMQ8898" if disabled else displayed(Kind.CHLAUTH), row=row)
    context.done(context.reply)


def _certificate(command: Command) -> PeerCertificate | None:
    """The caller's certificate: SSLPEER(name) [SSLCERTI(name)]; without values they are attributes to be shown."""
    given = {each.keyword for each in command.parameters if each.values is not None}
    peer_name = command.one("SSLPEER") if "SSLPEER" in given else None
    issuer = command.one("SSLCERTI") if "SSLCERTI" in given else None
    if peer_name is None and issuer is None:
        return None
    try:
        return certificate_called(peer_name or "", issuer or "")
    except PeerNameError as error:
        raise ObjectError(
            f"SSLPEER or SSLCERTI: {error}", amq="AMQ8405", reason=MQRCCF.CHLAUTH_RUNCHECK_ERROR
        ) from error


def display_authrec(context: Context) -> None:
    """DISPLAY AUTHREC [PROFILE()] [OBJTYPE()] [PRINCIPAL() | GROUP()] [MATCH(PROFILE | EXACT | MEMBERSHIP)].

    MEMBERSHIP with a principal shows the records of its groups as well.
    """
    command = context.command
    profile = command.one("PROFILE") or "*"
    object_type = command.word("OBJTYPE", (*AUTHORITY_OBJECTS, "ALL"), "ALL")
    principal, group = command.one("PRINCIPAL"), command.one("GROUP")
    match = command.word("MATCH", ("PROFILE", "EXACT", "MEMBERSHIP"), "PROFILE")
    entities: set[tuple[str, str]] = set()
    if principal is not None:
        entities.add(("PRINCIPAL", principal))
        if match == "MEMBERSHIP":
            entities.update(("GROUP", name) for name in context.manager.security.users.groups_of(principal))
    elif group is not None:
        entities.add(("GROUP", group))

    def meant(each: Definition) -> bool:
        if object_type not in ("ALL", each["OBJTYPE"]):
            return False
        if entities and (each.text("ENTTYPE"), each.text("ENTITY")) not in entities:
            return False
        return each.name == profile if match == "EXACT" else matches(profile, each.name) or each.name == profile

    definitions = [each for each in context.objects.select(Kind.AUTHREC) if meant(each)]
    show(context, SUBJECTS["AUTHREC"], definitions, False, profile)
