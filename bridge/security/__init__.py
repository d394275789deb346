"""Security: users and passwords, channel authentication, authorities. Rules over records that others keep.

Time, random bytes and users are passed in; only :mod:`bridge.security.users_file` reads and writes a file.
"""

from .addresses import is_address, is_host_name, is_loopback, matches_address
from .authorities import SELF, Authorities, Denial
from .calls import (
    OpenedObject,
    check_close,
    check_connect,
    check_open,
    check_topic,
    needed_for_open,
    options_of_put1,
)
from .channel_rules import RECEIVING, Admission, Block, Caller, ChannelRules, channel_user, describe
from .commands import check_command, needed_for_command
from .connection_checks import ConnectionCheck, connection_check
from .errors import UserError
from .instances import Instances
from .login import KEY_LENGTH, Authenticator, Line, LoginAttempt
from .passwords import MAX_PASSWORD, SALT_LENGTH, Cost, PasswordHash, hash_password, parse_hash
from .records import SecurityDefinitions, SecurityRecord
from .security import Credentials, Entry, Security
from .specificity import matches_pattern, matches_profile, specificity
from .throttle import Throttle, address_key
from .users import ADMINISTRATORS, CHANNEL_USER, EVERYBODY_ELSE, User, Users, check_name, is_user_name, parse_users
from .web_logins import MAX_FOR_USER, TOKEN_LENGTH, WebLogins
from .web_roles import Mechanism, WebRole, WebRoles, WebUser

__all__ = [
    "ADMINISTRATORS",
    "CHANNEL_USER",
    "EVERYBODY_ELSE",
    "KEY_LENGTH",
    "MAX_FOR_USER",
    "MAX_PASSWORD",
    "RECEIVING",
    "SALT_LENGTH",
    "SELF",
    "TOKEN_LENGTH",
    "Admission",
    "Authenticator",
    "Authorities",
    "Block",
    "Caller",
    "ChannelRules",
    "ConnectionCheck",
    "Cost",
    "Credentials",
    "Denial",
    "Entry",
    "Instances",
    "Line",
    "LoginAttempt",
    "Mechanism",
    "OpenedObject",
    "PasswordHash",
    "Security",
    "SecurityDefinitions",
    "SecurityRecord",
    "Throttle",
    "User",
    "UserError",
    "Users",
    "WebLogins",
    "WebRole",
    "WebRoles",
    "WebUser",
    "address_key",
    "channel_user",
    "check_close",
    "check_command",
    "check_connect",
    "check_name",
    "check_open",
    "check_topic",
    "connection_check",
    "describe",
    "hash_password",
    "is_address",
    "is_host_name",
    "is_loopback",
    "is_user_name",
    "matches_address",
    "matches_pattern",
    "matches_profile",
    "needed_for_command",
    "needed_for_open",
    "options_of_put1",
    "parse_hash",
    "parse_users",
    "specificity",
]
