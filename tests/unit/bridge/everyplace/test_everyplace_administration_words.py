"""Commands and ini files as administration messages, and replies as text (mqe.md 2 and 14)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.bridge.everyplace.administration.actions import Action, ReturnCode
from mqbridge.bridge.everyplace.administration.requests import Reply, Request, read_reply, read_request, write_request
from mqbridge.bridge.everyplace.administration.vocabulary import Vocabulary
from mqbridge.bridge.everyplace.administration.words import Words
from mqbridge.bridge.everyplace.definitions.properties import Property
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.text import read_ini
from support.everyplace_hosts import DirectHost

WORDS = Words()


def obey(host: DirectHost, *words: str) -> Reply:
    """Have a command obeyed."""
    message = write_request(WORDS.request(words, host.name), Address("AdminReplyQ", host.name))
    host.put("AdminQ", message=message)
    return read_reply(host.get("AdminReplyQ"))


@pytest.mark.spec("E-270", "E-281")
def test_commands_are_messages() -> None:
    host = DirectHost()
    created = obey(host, *["create", "queue", "ALARMS", "--max-size", "100", "--description"], "two bells")
    assert created.code is ReturnCode.SUCCESS
    assert obey(host, *["add", "alias", "queue", "ALARMS", "SIREN", "BELL"]).code is ReturnCode.SUCCESS
    assert obey(host, *["create", "remote", "ORDERS@SATURN", "--mode", "asynchronous"]).code is ReturnCode.SUCCESS
    found = obey(host, *["inquire", "queue", "ALARMS", "--max-size", "--aliases", "--current-size"])
    assert WORDS.text(found).split("\n") == [
        "inquire queue ALARMS@EARTH at EARTH: done",
        "  class         local",
        "  name          ALARMS",
        "  current-size  0",
        "  max-size      100",
        "  aliases       SIREN,BELL",
        "  owner         EARTH",
    ]
    lines = WORDS.text(obey(host, "inquire", "queue", "ORDERS@SATURN")).split("\n")
    assert ["mode", "asynchronous"] in [line.split() for line in lines]
    assert ["close-idle", "no"] in [line.split() for line in lines]
    text = WORDS.text(obey(host, *["update", "queue", "ALARMS", "--max-size", "7", "--priority", "10"]))
    assert text.startswith("update queue ALARMS at EARTH: done in part\n")
    assert "\n  priority  Code=401; " in text
    assert obey(host, *["update", "queue", "ALARMS", "--default", "max-size"]).code is ReturnCode.SUCCESS
    assert obey(host, *["inquire", "queue", "ALARMS", "--max-size"]).request.parameters["qmqs"] == -1
    assert WORDS.text(obey(host, "delete", "queue", "NONE")).endswith(
        ": failed\n  Code=204; there is no queue NONE (queue, EARTH)"
    )
    assert obey(host, *["update", "queue-manager", "--channel-timeout", "5"]).code is ReturnCode.SUCCESS
    assert obey(host, *["create", "listener", "TCP", "--endpoint", ":8081"]).code is ReturnCode.SUCCESS
    assert obey(host, *["start", "listener", "TCP", "--attempts", "3"]).request.attempts == 3


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("", "begins with none of"),
        ("make queue A", "begins with none of"),
        ("create", "begins with none of"),
        ("create spaceship A", "is none of administration, "),
        ("create queue", "which local?"),
        ("create queue A B", "'B' is too much"),
        ("create queue A --colour blue", "local has no --colour"),
        ("create queue A --max-size many", "is not a number"),
        ("create queue A --max-size", "--max-size has no value"),
        ("create queue A --max-size 99999999999", "--max-size"),
        ("create queue A --max-size 1 2", "'2' stands behind"),
        ("create remote A@B --mode quick", "synchronous or asynchronous"),
        ("create remote A@B --close-idle perhaps", "yes or no"),
        ("create connection A@B", "has no owner"),
        ("create queue Ä", "ascii"),
        ("inquire queue A --max-size 1", "it has no value"),
        ("add alias queue A", "name what is to be added"),
        ("add entry local A B", "local has no --entries"),
        ("create queue A --attempts 0", "--attempts is a number"),
    ],
)
def test_a_command_that_is_wrong_is_refused_with_what_is_right(words: str, text: str) -> None:
    with pytest.raises(EveryplaceError) as caught:
        WORDS.request(words.split(), "EARTH")
    assert caught.value.code is Code.SYNTAX
    assert text in caught.value.text


@pytest.mark.spec("E-031")
def test_an_ini_file_is_requests() -> None:
    text = (
        "* the queues of a van\r\n"
        "[create local ALARMS]\r\n(int)qmqs=100\r\n(unicode)qd=Glocke, laut\\, aber gut\r\n\r\n"
        "[create remote ORDERS@SATURN]\r\n(byte)qm=1\r\n"
        "[add alias local ALARMS SIREN BELL]\r\n"
        "[inquire local ALARMS]\r\n"
    )
    requests = WORDS.requests_of_ini(text, "EARTH")
    assert [each.action for each in requests] == [
        Action.CREATE,
        Action.CREATE,
        Action.ADD_ALIAS,
        Action.INQUIRE_ALL,
    ]
    assert requests[0].parameters["qd"] == "Glocke, laut, aber gut"
    assert requests[1].parameters["qqmn"] == "SATURN"
    assert WORDS.requests_of_ini(WORDS.ini(requests), "EARTH") == requests
    host = DirectHost()
    for request in requests:
        host.put("AdminQ", message=write_request(request))
    assert host.put("BELL") is not None
    assert host.size("ALARMS") == 1


@pytest.mark.spec("E-031", "E-218")
def test_start_up_parameters_are_sections() -> None:
    found = read_ini("[QueueManager]\n(ascii)Name=MOON\n[Registry]\n(ascii)DirName=/var/moon\n(ascii)Separator=+\n")
    assert list(found) == ["QueueManager", "Registry"]
    section = found.get("Registry", FieldType.FIELDS)
    assert (section["DirName"], section.type_of("DirName")) == ("/var/moon", FieldType.ASCII)


@pytest.mark.parametrize(
    "text", ["[create local A]\n(int)nonsense=1\n", "[create local A]\n(long)qmqs=1\n", "[ALARMS]\n", "(int)qmqs=1\n"]
)
def test_an_ini_file_that_is_wrong_is_refused(text: str) -> None:
    with pytest.raises(EveryplaceError):
        WORDS.requests_of_ini(text, "EARTH")


def test_other_packages_add_their_classes() -> None:
    vocabulary = Vocabulary()
    with pytest.raises(EveryplaceError):
        Words(vocabulary).request(["start", "windmill", "B"], "EARTH")
    name = Property("admname", "Admin_Name", (FieldType.ASCII,), "", attribute="name")
    wings = Property("win", "Wings", (FieldType.INT,), 4, attribute="wings")
    vocabulary.add("windmill", [name, wings])
    found = Words(vocabulary).request(["create", "windmill", "B", "--wings", "6"], "EARTH")
    assert found.parameters["win"] == 6


@pytest.mark.spec("E-285", "E-289")
def test_bridge_objects_have_words() -> None:
    assert WORDS.request(["start", "bridges"], "EARTH").name == ""
    found = WORDS.request(["start", "bridge", "B", "--affect-children", "yes"], "EARTH")
    assert (found.action, found.resource, found.name) == (Action.START, "bridge", "B")
    assert True in [found.parameters[each] for each in found.parameters]


NAMES = st.text("ABCxyz0189_.%", min_size=1, max_size=8).filter(lambda each: each[0] != "." and each[-1] != ".")


@st.composite
def requests(draw: st.DrawFn) -> Request:
    resource = draw(st.sampled_from([kind.value for kind in QueueKind] + ["connection", "listener"]))
    parameters = Fields()
    parameters.put("admname", draw(NAMES), FieldType.ASCII)
    rows = [row for row in Vocabulary().rows(resource) if row.field not in ("admname", "qqmn")]
    for row in draw(st.lists(st.sampled_from(rows), unique=True, max_size=4)):
        values = {
            FieldType.BOOLEAN: st.booleans(),
            FieldType.BYTE: st.integers(-128, 127),
            FieldType.INT: st.integers(-(2**31), 2**31 - 1),
            FieldType.LONG: st.integers(-(2**63), 2**63 - 1),
            FieldType.ASCII: st.text(st.characters(min_codepoint=32, max_codepoint=126)),
            FieldType.UNICODE: st.text(st.characters(exclude_categories=["Cs"])),
            FieldType.ASCII_ARRAY: st.lists(NAMES, min_size=1),
        }
        parameters.put(row.field, draw(values[row.type]), row.type)
    return Request("EARTH", Action.CREATE, resource, parameters, draw(st.integers(1, 1000)))


@settings(max_examples=100, deadline=None)
@given(requests())
@pytest.mark.spec("E-031", "E-271", "E-272")
def test_a_request_survives_its_message_and_its_ini_file(request: Request) -> None:
    assert read_request(write_request(request)) == request
    (again,) = WORDS.requests_of_ini(WORDS.ini([request]), "EARTH")
    assert again.parameters == request.parameters
