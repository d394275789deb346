"""Security decisions of a queue manager: who may connect, as which user, and do what.

A client that connects (channels.md 15)::

    entry = security.connect_client(channel, caller, credentials, application, now)
    if entry.reason is None:                       # a password is to be checked
        …                                          # wait until entry.attempt.not_before
        matched = entry.attempt.matches()          # slow: in a worker thread
        security.proceed(entry, matched, now)      # or security.turn_away(entry, now)
    …                                              # write entry.log, answer entry.reason at entry.answer_at
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from mqbridge.protocol.constants import MQRC

from .authorities import Authorities
from .calls import check_connect
from .channel_rules import Admission, Block, Caller, ChannelRules, blocked_address, channel_user, describe
from .connection_checks import ConnectionCheck, connection_check, stricter
from .errors import UserError
from .instances import Instances
from .login import Authenticator, Line, LoginAttempt
from .records import SecurityDefinitions, SecurityRecord
from .users import EVERYBODY_ELSE, Users, is_user_name

_NO_ANSWER_YET = 0.0


@dataclass(frozen=True, slots=True)
class Credentials:
    """User and password as sent by a client."""

    user: str
    """User id; empty if none was sent."""
    password: str = field(repr=False)
    """Password, decoded; meaningless if ``protected``."""
    protected: bool = False
    """The password is protected by an algorithm that we do not know, so it cannot be checked."""


@dataclass(slots=True, eq=False)
class Entry:
    """A client that is connecting.

    ``reason``: None while ``attempt`` must be checked, 0 for a client admitted as ``user``, else 2035. ``answer_at``:
    earliest time of the answer. ``log``: new lines for the operator. ``check``: CONNAUTH settings. ``cause``: lines
    that name the setting that required a password. ``blocks``: new refusals by CHLAUTH records. ``blocked``: the
    refusal of the user by a record, which is told once the password has been checked.
    """

    caller: Caller
    user: str
    reason: int | None = None
    attempt: LoginAttempt | None = None
    answer_at: float = _NO_ANSWER_YET
    log: list[Line] = field(default_factory=list)
    check: ConnectionCheck = field(default_factory=ConnectionCheck)
    cause: list[Line] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    blocked: Admission | None = None

    def take_blocks(self) -> list[Block]:
        """Return the refusals since the last call."""
        blocks, self.blocks = self.blocks, []
        return blocks

    def take_log(self) -> list[Line]:
        """Return the lines for the operator since the last call."""
        lines, self.log = self.log, []
        return lines


class Security:
    """Security of one queue manager.

    ``exposed``: whether a listener is on an address that other machines reach. ``reload``: returns the users if they
    have changed, else None; raises `UserError`.
    """

    __slots__ = ("_authorities", "_definitions", "_rules", "authenticator", "exposed", "instances", "reload")

    def __init__(self, definitions: SecurityDefinitions, authenticator: Authenticator | None = None) -> None:
        self._definitions = definitions
        self._rules: ChannelRules | None = None
        self._authorities: Authorities | None = None
        self.authenticator = authenticator if authenticator is not None else Authenticator()
        self.instances = Instances()
        self.exposed = False
        self.reload: Callable[[], Users | None] = lambda: None

    # What is known

    def definitions_changed(self) -> None:
        """Note that records, the queue manager's attributes or an AUTHINFO object have changed."""
        self._rules = None
        if self._authorities is not None:
            self._authorities.take(self._definitions.authorities())

    @property
    def rules(self) -> ChannelRules:
        """The CHLAUTH records."""
        if self._rules is None:
            enabled = self._definitions.queue_manager().text("CHLAUTH") != "DISABLED"
            self._rules = ChannelRules(self._definitions.channel_rules(), enabled=enabled)
        return self._rules

    @property
    def authorities(self) -> Authorities:
        """The AUTHREC records."""
        if self._authorities is None:
            self._authorities = Authorities(self.users)
            self._authorities.take(self._definitions.authorities())
        return self._authorities

    @property
    def users(self) -> Users:
        """Return users and groups."""
        return self.authenticator.users

    def take_users(self, users: Users) -> None:
        """Replace users and groups."""
        self.authenticator.users = users
        self.authorities.take_users(users)

    def refresh_users(self) -> list[Line]:
        """Reload the users if they have changed. An unreadable file means no users, with a line for the operator."""
        try:
            users = self.reload()
            if users is not None:
                users.check()
        except UserError as error:
            self.take_users(Users())
            return [("AMQ5539", (str(error),))]
        if users is not None:
            self.take_users(users)
        return []

    def connection_check(self) -> ConnectionCheck:
        """Return the current CONNAUTH settings."""
        name = self._definitions.queue_manager().text("CONNAUTH")
        found = self._definitions.authentication(name) if name else None
        return connection_check(name, found, exposed=self.exposed)

    def lacks_users(self) -> bool:
        """Return whether clients on other machines can reach us and need a password, but there are no users."""
        name = self._definitions.queue_manager().text("CONNAUTH")
        found = self._definitions.authentication(name) if name else None
        return connection_check(name, found, exposed=True).word != "NONE" and not len(self.users)

    # Channels

    def blocks_address(self, address: str, host_names: Sequence[str] = ()) -> tuple[bool, list[Line]]:
        """Return whether to refuse a connection from an address before anything is read, and lines for the operator."""
        record = self.rules.blocking_address(address, host_names)
        if record is None:
            return False, []
        return record.text("WARN") != "YES", [blocked_address(address, record)]

    def message_channel(self, channel: SecurityRecord, caller: Caller) -> Admission:
        """Return whether a partner may open a message channel, and the user that it runs as; blank: the queue manager's
        own."""
        return self.rules.admit(caller, channel_user(channel), self.users.is_privileged)

    def run_check(self, channel: SecurityRecord | None, caller: Caller) -> Admission:
        """Return the decision about a caller for DISPLAY CHLAUTH MATCH(RUNCHECK), whether or not the rules are
        enabled."""
        rules = ChannelRules(self._definitions.channel_rules())
        record = rules.blocking_address(caller.address, caller.host_names)
        if record is not None and record.text("WARN") != "YES":
            return Admission(False, "", record)
        own = ""
        if channel is not None:
            own = channel.text("MCAUSER") if caller.client else channel_user(channel)
        return rules.admit(caller, own or caller.user, self.users.is_privileged)

    # Clients

    def may_check_passwords(self, channel: str) -> bool:
        """Return whether a password from a client of a channel may have to be checked, and so must be readable."""
        return self.connection_check().word != "NONE" or self.rules.may_ask_for_password(channel)

    def connect_client(
        self, channel: SecurityRecord, caller: Caller, credentials: Credentials | None, application: str, now: float
    ) -> Entry:
        """Begin to admit a client. ``caller.user``: the user in its USERID_DATA.

        Where passwords count, a user that records refuse is refused after the check, and as late as with a wrong
        password: else guessers would learn which users are privileged or have records.
        """
        lines = self.refresh_users()
        check = self.connection_check()
        own = channel.text("MCAUSER") or caller.user
        admission = self.rules.admit(caller, own, self.users.is_privileged)
        word = stricter(check.word, admission.check)
        adopts = credentials is not None and word != "NONE" and check.adopts
        if credentials is not None and adopts:
            caller = replace(caller, user=credentials.user)
            admission = self.rules.admit(caller, credentials.user, self.users.is_privileged)
            word = stricter(word, admission.check)
        entry = Entry(caller, admission.user or EVERYBODY_ELSE, answer_at=now, log=lines, check=check)
        if admission.allowed or word == "NONE" or self.rules.refuses_everybody(caller):
            entry.log += admission.log
            entry.blocks += admission.blocks
        else:
            entry.blocked = admission
        if not admission.allowed and entry.blocked is None:
            entry.reason = MQRC.NOT_AUTHORIZED
            return entry
        privileged = self.users.is_privileged(admission.user)
        required = word == "REQUIRED" or (word == "REQDADM" and privileged)
        entry.cause = _cause(word, check, admission, entry.user if privileged else "")
        if entry.blocked is not None and (credentials is None or check.problem or credentials.protected):
            self._block(entry, entry.blocked, now)
        elif word == "NONE" or (credentials is None and not required):
            self._admit(entry)
        elif check.problem:
            entry.log.append(("AMQ9557", (admission.user, check.problem)))
            self._refuse(entry, now)
        elif credentials is None:
            entry.log.append(("AMQ5540", (application, caller.channel, caller.address)))
            self._refuse(entry, now)
        elif credentials.protected:
            entry.log.append(("AMQ5544", (credentials.user, caller.address, caller.channel, caller.channel)))
            self._refuse(entry, now)
        else:
            entry.attempt = self.authenticator.begin(credentials.user, credentials.password, caller.address, now)
            if entry.attempt.outcome is not None:
                self._decided(entry, now)
        return entry

    def proceed(self, entry: Entry, matched: bool, now: float) -> None:
        """Continue after an entry's password was checked."""
        assert entry.attempt is not None
        self.authenticator.finish(entry.attempt, matched, now)
        self._decided(entry, now)

    def turn_away(self, entry: Entry, now: float) -> None:
        """Refuse an entry whose password cannot be checked in time."""
        assert entry.attempt is not None
        self.authenticator.turn_away(entry.attempt)
        self._decided(entry, now)

    def _decided(self, entry: Entry, now: float) -> None:
        assert entry.attempt is not None
        entry.log += entry.attempt.log
        if entry.attempt.outcome and entry.blocked is not None:
            self._block(entry, entry.blocked, now)
        elif entry.attempt.outcome:
            self._admit(entry)
            if entry.reason:
                entry.answer_at = now + entry.check.fail_delay
        else:
            self._refuse(entry, now)

    def _admit(self, entry: Entry) -> None:
        if not is_user_name(entry.user):
            entry.reason = MQRC.NOT_AUTHORIZED
            entry.log.append(("AMQ9557", (repr(entry.user), "nobody who connects is called so")))
            return
        denial = check_connect(self.authorities, entry.user)
        entry.reason = 0 if denial is None else MQRC.NOT_AUTHORIZED
        if denial is not None:
            entry.log += [denial.log, ("AMQ9557", (entry.user, "it may not connect"))]

    def _block(self, entry: Entry, blocked: Admission, now: float) -> None:
        entry.reason = MQRC.NOT_AUTHORIZED
        entry.answer_at = now + entry.check.fail_delay
        entry.log += blocked.log
        entry.blocks += blocked.blocks

    def _refuse(self, entry: Entry, now: float) -> None:
        entry.reason = MQRC.NOT_AUTHORIZED
        entry.answer_at = now + entry.check.fail_delay
        entry.log += entry.cause


def _cause(word: str, check: ConnectionCheck, admission: Admission, privileged: str) -> list[Line]:
    """Return the line that names the setting which required a check; ``privileged``: the user, if privileged."""
    if admission.record is not None and stricter(check.word, admission.check) != check.word:
        return [("AMQ9790", (f"CHCKCLNT({admission.check})", describe(admission.record)))]
    if word == "REQDADM" and privileged:
        return [("AMQ5541", (check.source, privileged))]
    return [("AMQ5542", (f"CHCKCLNT({word})", check.source))]
