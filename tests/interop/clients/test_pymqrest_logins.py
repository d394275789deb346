"""`pymqrest` over HTTPS, with its three ways to log in, and every method whose command we have."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from mqbridge.bridge.queue_manager.mqsc.commands import HANDLERS
from support.processes.running_service import RunningService
from support.processes.web_door import PASSWORDS, RIGHTS, SECURE, SecureDoor, with_users

pymqrest = pytest.importorskip("pymqrest", reason="pymqrest is not installed (it needs Python 3.12)")

pytestmark = [pytest.mark.interop("pymqrest"), pytest.mark.spec("channels.md 17.2")]

WAYS = ("basic", "login", "certificate")
NOTHING = {2085, 3065, 3153, 3200, 3208, 3250, 3252, 3328, 4097}
"""Reasons of displays that find nothing, or of what there never is here (clusters, policies)."""
OBJECTS: dict[str, dict[str, object]] = {
    "qlocal": {"MAXDEPTH": 10},
    "qmodel": {"DEFTYPE": "TEMPDYN"},
    "qalias": {"TARGET": "SHARED"},
    "qremote": {"RNAME": "Q", "RQMNAME": "MARS", "XMITQ": "SHARED"},
    "channel": {"CHLTYPE": "SVRCONN"},
    "process": {"APPLICID": "/bin/true"},
    "namelist": {"NAMES": ["A", "B"]},
    "listener": {"TRPTYPE": "TCP", "PORT": 0},
    "service": {"STARTCMD": "/bin/true"},
    "topic": {"TOPICSTR": "of/tests"},
    "authinfo": {"AUTHTYPE": "IDPWOS"},
    "comminfo": {"TYPE": "MULTICAST"},
    "sub": {"TOPICSTR": "of/tests", "DEST": "SHARED"},
}
"""What is defined, altered, displayed and deleted, with what it needs."""
TYPED = {"channel": "CHLTYPE", "listener": "TRPTYPE", "authinfo": "AUTHTYPE", "comminfo": "TYPE"}
"""Kinds whose type is named by ALTER too."""
ASKED: dict[str, dict[str, object]] = {"entauth": {"PRINCIPAL": "carl", "OBJNAME": "SHARED", "OBJTYPE": "QUEUE"}}
"""Parameters that displays need."""
UNNAMED = {"authrec", "authserv", "cmdserv", "entauth", "pubsub", "qmstatus"}
"""Displays without a name."""


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureDoor]:
    folder = tmp_path_factory.mktemp("web")
    file = folder / "queue-manager.toml"
    file.write_text(SECURE, encoding="utf-8")
    made = RunningService(folder, mqsc=RIGHTS, listen=None, options=("--config", str(file), "--store", "memory"))
    secure = SecureDoor(with_users(made), folder / "clients")
    made.start()
    yield secure
    made.close()


def session_of(secure: SecureDoor, way: str, user: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A session of a user, who logs in one of three ways."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(secure.trust))
    certificate = str(secure.certificate(user))
    credentials = {
        "basic": pymqrest.BasicAuth(user, PASSWORDS[user]),
        "login": pymqrest.LTPAAuth(user, PASSWORDS[user]),
        "certificate": pymqrest.CertificateAuth(certificate),
    }
    return pymqrest.MQRESTSession(
        f"{secure.url}/ibmmq/rest/v2", "EARTH", credentials=credentials[way], map_attributes=False
    )


def methods(verb: str) -> set[str]:
    """Nouns of the methods for a verb whose command we have."""
    prefix = f"{verb.lower()}_"
    nouns = {name.removeprefix(prefix) for name in dir(pymqrest.MQRESTSession) if name.startswith(prefix)}
    return {noun for noun in nouns if (verb, noun.upper()) in HANDLERS}


@pytest.mark.parametrize("way", WAYS)
def test_every_object_is_defined_altered_displayed_and_deleted(
    secure: SecureDoor, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    session = session_of(secure, way, "anne", monkeypatch)
    assert methods("DEFINE") == set(OBJECTS)
    assert methods("ALTER") == {*OBJECTS, "qmgr"}
    assert methods("DELETE") - {"authrec", "policy", "queue"} == set(OBJECTS)
    for kind, attributes in OBJECTS.items():
        name = f"{way}.{kind}".upper()[:20]
        getattr(session, f"define_{kind}")(name, request_parameters=attributes)
        typed = {TYPED[kind]: attributes[TYPED[kind]]} if kind in TYPED else {}
        text = {"USERDATA": "altered"} if kind == "sub" else {"DESCR": "altered"}
        getattr(session, f"alter_{kind}")(name, request_parameters={**typed, **text})
        (shown,) = getattr(session, f"display_{'queue' if kind[0] == 'q' else kind}")(name)
        assert {**text, **attributes}.items() <= {key.upper(): value for key, value in shown.items()}.items()
        getattr(session, f"delete_{kind}")(name)
    session.alter_qmgr(request_parameters={"DESCR": "by pymqrest"})
    assert session.display_qmgr(response_parameters=["DESCR"])["descr"] == "by pymqrest"
    with pytest.raises(pymqrest.MQRESTCommandError):
        session.delete_authrec("NO.SUCH", request_parameters={"OBJTYPE": "QUEUE", "PRINCIPAL": "carl"})


@pytest.mark.parametrize("way", WAYS)
def test_everything_that_is_there_is_displayed(secure: SecureDoor, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    session = session_of(secure, way, "rita", monkeypatch)
    asked, empty = methods("DISPLAY"), {}
    for noun in sorted(asked):
        display = getattr(session, f"display_{noun}")
        try:
            named = "name" in inspect.signature(display).parameters and noun not in UNNAMED
            name = {"name": "#" if noun == "tpstatus" else "*"} if named else {}
            assert display(**name, request_parameters=ASKED.get(noun, {})), noun
        except pymqrest.MQRESTCommandError as error:
            empty[noun] = error.payload["commandResponse"][0]["reasonCode"]
    assert len(asked) >= 29
    assert {noun: reason for noun, reason in empty.items() if reason not in NOTHING} == {}
    assert asked - set(empty) >= {"qmgr", "queue", "channel", "authrec", "chlauth", "qstatus", "qmstatus", "entauth"}


@pytest.mark.parametrize("way", WAYS)
def test_users_are_told_apart(secure: SecureDoor, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    carl = session_of(secure, way, "carl", monkeypatch)
    assert {row["queue"] for row in carl.display_queue("*")} == {"SHARED"}
    with pytest.raises(pymqrest.MQRESTCommandError) as caught:
        carl.define_qlocal("NEW")
    assert caught.value.payload["commandResponse"][0]["reasonCode"] == 2035
    rita = session_of(secure, way, "rita", monkeypatch)
    rita.define_qlocal("NEW")  # it takes the error in IBM's form for an empty reply
    assert (rita.last_http_status, rita.last_response_payload["error"][0]["msgId"]) == (403, "MQWB0108E")
    with pytest.raises(pymqrest.MQRESTCommandError):
        rita.display_queue("NEW")


def test_a_wrong_password_is_no_login(secure: SecureDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(secure.trust))
    with pytest.raises(pymqrest.MQRESTAuthError) as caught:
        pymqrest.MQRESTSession(f"{secure.url}/ibmmq/rest/v2", "EARTH", credentials=pymqrest.LTPAAuth("carl", "guessed"))
    assert caught.value.status_code == 401
