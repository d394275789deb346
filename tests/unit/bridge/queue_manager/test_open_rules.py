"""Rows of mqi.md 2 and 3 one by one: options that need each other, access, outputs of an open, and the close matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqbridge.bridge.queue_manager import GetOptions, Handle, MQError, PutOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.opening import check_open_options
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCO, MQOO, MQRC
from support.queue_manager.direct_calls import browse
from support.queue_manager.host import Host

OUTPUT, BROWSE, INQUIRE, SET = MQOO.OUTPUT, MQOO.BROWSE, MQOO.INQUIRE, MQOO.SET
SHARED, EXCLUSIVE, AS_Q_DEF = MQOO.INPUT_SHARED, MQOO.INPUT_EXCLUSIVE, MQOO.INPUT_AS_Q_DEF
INPUTS = (SHARED, EXCLUSIVE, AS_Q_DEF)
BINDS = (MQOO.BIND_ON_OPEN, MQOO.BIND_NOT_FIXED, MQOO.BIND_ON_GROUP)
CONTEXTS = (
    MQOO.PASS_IDENTITY_CONTEXT, MQOO.PASS_ALL_CONTEXT, MQOO.SET_IDENTITY_CONTEXT, MQOO.SET_ALL_CONTEXT,
)  # fmt: skip


def open_(host: Host, name: str, options: int, queue_manager: str = "", **more: Any) -> Handle:
    handle = host.queue_manager.open(name, queue_manager, options=options, owner=b"me", now=host.now, **more)
    host.pump()
    return handle


def close(host: Host, handle: Handle, options: int = MQCO.NONE) -> None:
    host.queue_manager.close(handle, options, host.now)
    host.pump()


def refused(call: Callable[[], object]) -> int:
    with pytest.raises(MQError) as caught:
        call()
    assert caught.value.completion == 2
    return caught.value.reason


def together(options: int) -> bool:
    """Whether an open takes these options; false for reason 2046 alone."""
    try:
        check_open_options(int(options))
    except MQError as error:
        if error.reason != MQRC.OPTIONS_ERROR:
            raise
        return False
    return True


# Options


@pytest.mark.spec("mqi.md 2.2 rule 1")
@pytest.mark.parametrize("access", [*INPUTS, BROWSE, OUTPUT, INQUIRE, SET])
def test_each_access_is_enough(access: int) -> None:
    assert together(access)


@pytest.mark.spec("mqi.md 2.2 rule 1")
@pytest.mark.parametrize("alone", [0, *BINDS, MQOO.FAIL_IF_QUIESCING, MQOO.RESOLVE_LOCAL_Q])
def test_without_access_there_is_nothing_to_open(alone: int) -> None:
    assert not together(alone)


@pytest.mark.spec("mqi.md 2.2 rule 2")
@pytest.mark.parametrize("one", INPUTS)
@pytest.mark.parametrize("other", INPUTS)
def test_one_input_option(one: int, other: int) -> None:
    assert together(one | other) is (one == other)


@pytest.mark.spec("mqi.md 2.2 rule 3")
@pytest.mark.parametrize("one", BINDS)
@pytest.mark.parametrize("other", BINDS)
def test_one_bind_option(one: int, other: int) -> None:
    assert together(OUTPUT | one | other | MQOO.BIND_AS_Q_DEF) is (one == other)


@pytest.mark.spec("mqi.md 2.2 rule 4")
def test_one_read_ahead_option() -> None:
    assert together(SHARED | MQOO.READ_AHEAD)
    assert together(SHARED | MQOO.NO_READ_AHEAD)
    assert not together(SHARED | MQOO.READ_AHEAD | MQOO.NO_READ_AHEAD)


@pytest.mark.spec("mqi.md 2.2 rule 5")
@pytest.mark.parametrize("access", [*INPUTS, BROWSE, OUTPUT, INQUIRE, SET])
def test_context_is_saved_by_gets(access: int) -> None:
    assert together(access | MQOO.SAVE_ALL_CONTEXT) is (access in INPUTS)


@pytest.mark.spec("mqi.md 2.2 rule 6")
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("access", [*INPUTS, BROWSE, OUTPUT, INQUIRE, SET])
def test_context_is_given_by_puts(context: int, access: int) -> None:
    assert together(access | context) is (access == OUTPUT)


@pytest.mark.spec("mqi.md 2.2 rule 7")
@pytest.mark.spec("mqi.md 2.2 rule 8")
@pytest.mark.parametrize(("option", "needed"), [(MQOO.CO_OP, BROWSE), (MQOO.NO_MULTICAST, OUTPUT)])
def test_options_of_one_access(option: int, needed: int) -> None:
    for access in (*INPUTS, BROWSE, OUTPUT, INQUIRE, SET):
        assert together(access | option) is (access == needed)


# Access


@pytest.mark.spec("mqi.md 2.3")
@pytest.mark.parametrize("first", [EXCLUSIVE, SHARED])
@pytest.mark.parametrize("access", [BROWSE, OUTPUT, INQUIRE, SET])
def test_only_inputs_are_in_each_others_way(host: Host, first: int, access: int) -> None:
    host.local("Q")
    open_(host, "Q", first)
    open_(host, "Q", access)
    close(host, open_(host, "Q", access))


@pytest.mark.spec("mqi.md 2.3")
@pytest.mark.parametrize("options", [OUTPUT, SHARED, BROWSE])
def test_an_inhibited_queue_opens_and_refuses_later(host: Host, options: int) -> None:
    host.local("Q", PUT="DISABLED", GET="DISABLED")
    handle = open_(host, "Q", options)
    if options == OUTPUT:
        message = Message.build(b"")
        call = lambda: host.queue_manager.put(handle.target, message, PutOptions(), None, host.now)  # noqa: E731
        assert refused(call) == MQRC.PUT_INHIBITED
    elif options == BROWSE:
        call = lambda: browse(host.queue_manager, handle.target, handle.cursor, GetOptions(), host.now)  # noqa: E731
        assert refused(call) == MQRC.GET_INHIBITED
    else:
        call = lambda: host.queue_manager.get(handle.target, GetOptions(), None, host.now)  # noqa: E731
        assert refused(call) == MQRC.GET_INHIBITED


@pytest.mark.spec("mqi.md 2.3")
@pytest.mark.parametrize(
    ("name", "queue_manager", "reason"),
    [
        ("NOTHING", "", MQRC.UNKNOWN_OBJECT_NAME),
        ("NOTHING", "EARTH", MQRC.UNKNOWN_OBJECT_NAME),
        ("no name!", "", MQRC.UNKNOWN_OBJECT_NAME),
        ("", "", MQRC.UNKNOWN_OBJECT_NAME),
        ("Q", "MARS", MQRC.UNKNOWN_REMOTE_Q_MGR),
        ("Q", "no name!", MQRC.UNKNOWN_REMOTE_Q_MGR),
        ("LOST", "", MQRC.UNKNOWN_ALIAS_BASE_Q),
        ("DOUBLE", "", MQRC.ALIAS_BASE_Q_TYPE_ERROR),
    ],
)
def test_names_that_lead_nowhere(host: Host, name: str, queue_manager: str, reason: int) -> None:
    host.local("Q")
    host.define(Kind.QALIAS, "LOST", TARGET="NOTHING")
    host.define(Kind.QALIAS, "ALIAS", TARGET="Q")
    host.define(Kind.QALIAS, "DOUBLE", TARGET="ALIAS")
    assert refused(lambda: open_(host, name, OUTPUT, queue_manager)) == reason


@pytest.mark.spec("mqi.md 2.3")
@pytest.mark.parametrize("options", [OUTPUT, INQUIRE, OUTPUT | INQUIRE])
def test_what_is_elsewhere_opens_for_output_and_inquiry(host: Host, options: int) -> None:
    host.transmission("SATURN")
    assert open_(host, "THERE", options, "SATURN").target.remote


@pytest.mark.spec("mqi.md 2.3")
def test_a_transmission_queue_opens_for_output(host: Host) -> None:
    host.transmission("SATURN")
    handle = open_(host, "SATURN", OUTPUT)
    assert (handle.target.queue_name, handle.target.remote) == ("SATURN", False)


@pytest.mark.spec("mqi.md 2.3")
def test_a_queue_deleted_behind_a_handle_is_gone(host: Host) -> None:
    host.define(Kind.QMODEL, "TEMP", DEFTYPE="TEMPDYN", SHARE=True)
    creator = open_(host, "TEMP", SHARED)
    other = open_(host, creator.object_name, OUTPUT | SHARED | BROWSE)
    close(host, creator)
    manager, target = host.queue_manager, other.target
    for call in (
        lambda: manager.put(target, Message.build(b""), PutOptions(), None, host.now),
        lambda: manager.get(target, GetOptions(), None, host.now),
        lambda: browse(manager, target, other.cursor, GetOptions(), host.now),
    ):
        assert refused(call) == MQRC.Q_DELETED
    close(host, other)


# What an open gives back


@pytest.mark.spec("mqi.md 2.4")
@pytest.mark.parametrize(
    ("name", "queue_manager", "object_name", "resolved", "placed_on"),
    [
        ("Q", "", "Q", ("Q", "EARTH"), "Q"),
        ("Q", "EARTH", "Q", ("Q", "EARTH"), "Q"),
        ("ALIAS", "", "ALIAS", ("Q", "EARTH"), "Q"),
        ("FAR", "", "FAR", ("THERE", "SATURN"), "SATURN"),
        ("ANY", "SATURN", "SATURN", ("ANY", "SATURN"), "SATURN"),
        ("ANY", "RINGS", "RINGS", ("ANY", "SATURN"), "SATURN"),
    ],
)
def test_resolved_names(
    host: Host, name: str, queue_manager: str, object_name: str, resolved: tuple[str, str], placed_on: str
) -> None:
    """With RESOLVE_LOCAL_Q the queue on which messages are placed is told, without it where they go."""
    host.local("Q")
    host.transmission("SATURN")
    host.define(Kind.QALIAS, "ALIAS", TARGET="Q")
    host.define(Kind.QREMOTE, "FAR", RNAME="THERE", RQMNAME="SATURN")
    host.define(Kind.QREMOTE, "RINGS", RQMNAME="SATURN")
    target = open_(host, name, OUTPUT | MQOO.RESOLVE_LOCAL_Q, queue_manager).target
    assert (target.queue_name, target.queue_manager_name) == resolved
    assert target.queue is not None
    assert (target.path[0].name, target.queue.name) == (object_name, placed_on)


@pytest.mark.spec("mqi.md 2.4")
def test_a_model_queue_gives_the_name_of_its_queue(host: Host) -> None:
    host.define(Kind.QMODEL, "TEMP", DEFTYPE="TEMPDYN")
    handle = open_(host, "TEMP", SHARED, dynamic_name="REPLIES.*")
    assert handle.object_name.startswith("REPLIES.")
    assert (handle.target.queue_name, handle.target.queue_manager_name) == (handle.object_name, "EARTH")


# Dynamic queues


@pytest.mark.spec("mqi.md 2.5 row 3")
def test_the_end_of_a_dynamic_name_is_sixteen_hexadecimal_digits(host: Host) -> None:
    host.define(Kind.QMODEL, "TEMP", DEFTYPE="TEMPDYN")
    for given, front in (("", "AMQ."), ("A.*", "A."), ("*", "")):
        name = open_(host, "TEMP", SHARED, dynamic_name=given).object_name
        assert name.startswith(front)
        assert len(name) == len(front) + 16
        int(name[len(front) :], 16)


@pytest.mark.spec("mqi.md 2.5 row 5")
def test_others_use_a_temporary_queue_by_its_name_and_leave_it_alone(host: Host) -> None:
    host.define(Kind.QMODEL, "TEMP", DEFTYPE="TEMPDYN", SHARE=True, DEFSOPT="SHARED")
    creator = open_(host, "TEMP", SHARED)
    name = creator.object_name
    host.put(name, b"reply")
    for options in (OUTPUT, SHARED):
        close(host, open_(host, name, options))
    assert host.contents(name) == [b"reply"]
    close(host, creator)
    assert host.queue_manager.queue(name) is None


# Closing

KEPT, GONE = "kept", "gone"


@pytest.mark.spec("mqi.md 3")
@pytest.mark.spec("mqi.md 21.16")
@pytest.mark.parametrize(
    ("kind", "holds", "options", "outcome"),
    [
        ("predefined", False, MQCO.NONE, KEPT),
        ("predefined", False, MQCO.DELETE, MQRC.OPTION_NOT_VALID_FOR_TYPE),
        ("predefined", False, MQCO.DELETE_PURGE, MQRC.OPTION_NOT_VALID_FOR_TYPE),
        ("permanent", False, MQCO.NONE, KEPT),
        ("permanent", True, MQCO.NONE, KEPT),
        ("permanent", False, MQCO.DELETE, GONE),
        ("permanent", True, MQCO.DELETE, MQRC.Q_NOT_EMPTY),
        ("permanent", True, MQCO.DELETE_PURGE, GONE),
        ("temporary", True, MQCO.NONE, GONE),
        ("temporary", True, MQCO.DELETE, GONE),
        ("temporary", True, MQCO.DELETE_PURGE, GONE),
        ("temporary, other handle", True, MQCO.NONE, KEPT),
        ("temporary, other handle", True, MQCO.DELETE, MQRC.OPTION_NOT_VALID_FOR_TYPE),
        ("temporary, other handle", True, MQCO.DELETE_PURGE, MQRC.OPTION_NOT_VALID_FOR_TYPE),
    ],
)
def test_the_close_matrix(host: Host, kind: str, holds: bool, options: int, outcome: str | int) -> None:
    host.local("Q")
    host.define(Kind.QMODEL, "TEMP", DEFTYPE="TEMPDYN")
    host.define(Kind.QMODEL, "PERM", DEFTYPE="PERMDYN")
    opened = {"predefined": "Q", "permanent": "PERM"}.get(kind, "TEMP")
    handle = open_(host, opened, OUTPUT)
    name = handle.object_name
    if holds:
        host.put(name, persistence=0)
    if kind.endswith("other handle"):
        handle = open_(host, name, OUTPUT)
    if outcome in (KEPT, GONE):
        close(host, handle, options)
    else:
        assert refused(lambda: close(host, handle, options)) == outcome
        assert not handle.closed
    assert (host.queue_manager.queue(name) is None) is (outcome == GONE)
    assert (host.objects.queue(name) is None) is (outcome == GONE)
    if holds and outcome != GONE:
        assert host.depth(name) == 1


@pytest.mark.spec("mqi.md 3")
@pytest.mark.parametrize("options", [MQCO.DELETE, MQCO.DELETE_PURGE])
@pytest.mark.parametrize("uncommitted", ["put", "get"])
def test_a_permanent_queue_with_uncommitted_messages_stays(host: Host, options: int, uncommitted: str) -> None:
    host.define(Kind.QMODEL, "PERM", DEFTYPE="PERMDYN")
    handle = open_(host, "PERM", OUTPUT)
    unit = host.begin()
    if uncommitted == "put":
        host.put(handle.object_name, unit=unit)
    else:
        host.put(handle.object_name)
        host.got(handle.object_name, unit)
    assert refused(lambda: close(host, handle, options)) == MQRC.Q_NOT_EMPTY
    host.backout(unit)
    assert host.depth(handle.object_name) == (0 if uncommitted == "put" else 1)
