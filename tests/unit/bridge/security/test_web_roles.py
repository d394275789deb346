"""Who has which role at the REST interface, and what each role may ask for."""

from __future__ import annotations

import pytest

from mqbridge.bridge.security import WebRole, WebRoles, WebUser
from support.queue_manager.security_records import people

ADMINISTRATOR, READER, USER = WebRole
GROUPS = {"anne": ("mqm",), "rita": ("readers", "clients"), "both": ("readers", "mqm"), "carl": ("clients",)}
EVERYBODY = people(GROUPS, anne="a", rita="b", both="c", carl="d", mqm="e", Anne2="f")


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("anne", ADMINISTRATOR),
        ("mqm", ADMINISTRATOR),
        ("both", ADMINISTRATOR),
        ("rita", READER),
        ("carl", USER),
        ("Anne2", USER),
        ("unknown", USER),
        ("", USER),
    ],
)
def test_the_highest_role_of_a_user(name: str, role: WebRole) -> None:
    assert WebRoles(["mqm"], ["readers"]).role_of(name, EVERYBODY) is role


def test_unknown_users_share_the_role_of_the_group_nobody_and_no_other() -> None:
    assert WebRoles(["mqm"], ["clients"]).role_of("unknown", EVERYBODY) is USER


def test_without_the_group_mqm_its_members_are_ordinary_users() -> None:
    roles = WebRoles([], ["mqm"])
    assert [roles.role_of(name, EVERYBODY) for name in ("anne", "mqm", "rita")] == [READER, READER, USER]


@pytest.mark.parametrize(
    ("method", "verb", "whole", "allowed"),
    [
        ("GET", "", False, (ADMINISTRATOR, READER, USER)),
        ("HEAD", "", False, (ADMINISTRATOR, READER, USER)),
        ("GET", "", True, (ADMINISTRATOR, READER)),
        ("POST", "", False, (ADMINISTRATOR, USER)),
        ("DELETE", "", False, (ADMINISTRATOR, USER)),
        ("POST", "DISPLAY", False, (ADMINISTRATOR, READER, USER)),
        *(
            ("POST", verb, False, (ADMINISTRATOR, USER))
            for verb in ("DEFINE", "ALTER", "DELETE", "SET", "CLEAR", "START", "STOP", "PING", "RESET", "REFRESH")
        ),
        ("GET", "DEFINE", False, (ADMINISTRATOR, USER)),
    ],
)
def test_what_each_role_may_ask_for(method: str, verb: str, whole: bool, allowed: tuple[WebRole, ...]) -> None:
    for role in WebRole:
        missing = WebRoles.missing(WebUser("x", role), method, verb, whole=whole)
        assert missing == (() if role in allowed else allowed)


def test_only_ordinary_users_are_asked_for_authorities() -> None:
    assert [WebUser("x", role).checked for role in WebRole] == [False, False, True]
