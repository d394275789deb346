from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Handle, MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.opening import check_open_options
from mqbridge.protocol.constants import MQCO, MQOO, MQPMO, MQRC
from support.queue_manager.host import Host

SHARED, EXCLUSIVE, AS_Q_DEF = MQOO.INPUT_SHARED, MQOO.INPUT_EXCLUSIVE, MQOO.INPUT_AS_Q_DEF
OUTPUT, BROWSE, INQUIRE, SET = MQOO.OUTPUT, MQOO.BROWSE, MQOO.INQUIRE, MQOO.SET


def open_(host: Host, name: str, options: int, queue_manager: str = "", **more: Any) -> Handle:
    handle = host.queue_manager.open(name, queue_manager, options=options, owner=b"me", now=host.now, **more)
    host.pump()
    return handle


def close(host: Host, handle: Handle, options: int = MQCO.NONE) -> None:
    host.queue_manager.close(handle, options, host.now)
    host.pump()


def refusal(host: Host, *arguments: Any, **more: Any) -> int:
    with pytest.raises(MQError) as caught:
        open_(host, *arguments, **more)
    return caught.value.reason


@pytest.mark.spec("mqi.md 2.2")
@pytest.mark.parametrize(
    "options",
    [
        0,
        MQOO.BIND_ON_OPEN,
        SHARED | EXCLUSIVE,
        AS_Q_DEF | SHARED,
        OUTPUT | MQOO.BIND_ON_OPEN | MQOO.BIND_NOT_FIXED,
        SHARED | MQOO.READ_AHEAD | MQOO.NO_READ_AHEAD,
        OUTPUT | MQOO.SAVE_ALL_CONTEXT,
        SHARED | MQOO.SET_ALL_CONTEXT,
        SHARED | MQOO.PASS_IDENTITY_CONTEXT,
        SHARED | MQOO.CO_OP,
        SHARED | MQOO.NO_MULTICAST,
    ],
)
def test_open_options_that_do_not_go_together(options: int) -> None:
    with pytest.raises(MQError) as caught:
        check_open_options(int(options))
    assert caught.value.reason == MQRC.OPTIONS_ERROR


@pytest.mark.spec("mqi.md 2.2")
@pytest.mark.parametrize(
    "options", [SHARED | MQOO.SAVE_ALL_CONTEXT, OUTPUT | MQOO.SET_ALL_CONTEXT, BROWSE | MQOO.CO_OP]
)
def test_open_options_that_go_together(options: int) -> None:
    check_open_options(int(options))


@pytest.mark.spec("mqi.md 2.3")
@pytest.mark.parametrize(
    ("first", "second", "allowed"),
    [
        (SHARED, SHARED, True),
        (SHARED, EXCLUSIVE, False),
        (EXCLUSIVE, SHARED, False),
        (EXCLUSIVE, EXCLUSIVE, False),
        (EXCLUSIVE, BROWSE | OUTPUT | INQUIRE | SET, True),
        (BROWSE, EXCLUSIVE, True),
        (AS_Q_DEF, AS_Q_DEF, True),
    ],
)
def test_who_may_get_beside_whom(host: Host, first: int, second: int, allowed: bool) -> None:
    host.local("Q")
    handle = open_(host, "Q", first)
    if allowed:
        open_(host, "Q", second)
    else:
        assert refusal(host, "Q", second) == MQRC.OBJECT_IN_USE
        close(host, handle)
        open_(host, "Q", second)


@pytest.mark.spec("mqi.md 2.3")
def test_queues_that_cannot_be_shared_or_are_exclusive_by_default(host: Host) -> None:
    host.local("ALONE", SHARE=False)
    host.local("DEFAULT", DEFSOPT="EXCL")
    open_(host, "ALONE", SHARED)
    assert refusal(host, "ALONE", SHARED) == MQRC.OBJECT_IN_USE
    open_(host, "DEFAULT", AS_Q_DEF)
    assert refusal(host, "DEFAULT", SHARED) == MQRC.OBJECT_IN_USE


@pytest.mark.spec("mqi.md 2.3")
def test_an_alias_counts_at_its_base(host: Host) -> None:
    host.local("Q")
    host.define(Kind.QALIAS, "A", TARGET="Q")
    open_(host, "A", EXCLUSIVE)
    assert refusal(host, "Q", SHARED) == MQRC.OBJECT_IN_USE


@pytest.mark.spec("mqi.md 4.1")
def test_handles_are_counted(host: Host) -> None:
    host.local("Q")
    queue = host.queue_manager.queue("Q")
    assert queue is not None
    handles = [open_(host, "Q", options) for options in (SHARED, SHARED | OUTPUT, OUTPUT, INQUIRE)]
    assert (queue.input_count, queue.output_count, len(queue.handles)) == (2, 2, 4)
    for handle in handles:
        close(host, handle)
    assert (queue.input_count, queue.output_count, len(queue.handles)) == (0, 0, 0)
    with pytest.raises(MQError) as caught:
        close(host, handles[0])
    assert caught.value.reason == MQRC.HOBJ_ERROR


@pytest.mark.spec("mqi.md 2.3")
@pytest.mark.parametrize("options", [SHARED, EXCLUSIVE, BROWSE, SET])
def test_what_is_not_local_opens_for_output_alone(host: Host, options: int) -> None:
    host.transmission("SATURN")
    assert refusal(host, "THERE", options, "SATURN") == MQRC.OPTION_NOT_VALID_FOR_TYPE
    handle = open_(host, "THERE", OUTPUT, "SATURN")
    assert (handle.target.queue_name, handle.target.queue_manager_name) == ("THERE", "SATURN")


@pytest.mark.spec("mqi.md 2.3")
def test_opening_while_quiescing(host: Host) -> None:
    host.local("Q")
    host.queue_manager.quiesce()
    assert refusal(host, "Q", OUTPUT | MQOO.FAIL_IF_QUIESCING) == MQRC.Q_MGR_QUIESCING
    open_(host, "Q", OUTPUT)


@pytest.mark.spec("mqi.md 7.3")
@pytest.mark.parametrize(
    ("access", "reason"),
    [
        (SHARED, MQRC.NOT_OPEN_FOR_INPUT),
        (BROWSE, MQRC.NOT_OPEN_FOR_BROWSE),
        (OUTPUT, MQRC.NOT_OPEN_FOR_OUTPUT),
        (INQUIRE, MQRC.NOT_OPEN_FOR_INQUIRE),
        (SET, MQRC.NOT_OPEN_FOR_SET),
    ],
)
def test_a_handle_allows_what_it_was_opened_for(host: Host, access: int, reason: int) -> None:
    host.local("Q")
    open_(host, "Q", access).require(access)
    others = (SHARED | BROWSE | OUTPUT | INQUIRE | SET) & ~access
    with pytest.raises(MQError) as caught:
        open_(host, "Q", others).require(access)
    assert caught.value.reason == reason


@pytest.mark.spec("mqi.md 5.4")
@pytest.mark.spec("mqi.md 21.17")
@pytest.mark.parametrize(
    ("put", "allowed", "reason"),
    [
        (MQPMO.PASS_IDENTITY_CONTEXT, (0x100, 0x200), MQRC.NOT_OPEN_FOR_PASS_IDENT),
        (MQPMO.PASS_ALL_CONTEXT, (0x200,), MQRC.NOT_OPEN_FOR_PASS_ALL),
        (MQPMO.SET_IDENTITY_CONTEXT, (0x400, 0x800), MQRC.NOT_OPEN_FOR_SET_IDENT),
        (MQPMO.SET_ALL_CONTEXT, (0x800,), MQRC.NOT_OPEN_FOR_SET_ALL),
    ],
)
def test_context_options_need_their_open_option(host: Host, put: int, allowed: tuple[int, ...], reason: int) -> None:
    host.local("Q")
    for bit in (0x100, 0x200, 0x400, 0x800):
        handle = open_(host, "Q", OUTPUT | bit)
        if bit in allowed:
            handle.require_context(put)
        else:
            with pytest.raises(MQError) as caught:
                handle.require_context(put)
            assert caught.value.reason == reason


# Dynamic queues


@pytest.fixture
def models(host: Host) -> Host:
    host.define(Kind.QMODEL, "TEMP", DEFTYPE="TEMPDYN", MAXDEPTH=77, SHARE=True)
    host.define(Kind.QMODEL, "PERM", DEFTYPE="PERMDYN", DESCR="a model")
    return host


@pytest.mark.spec("mqi.md 2.5")
@pytest.mark.spec("mqi.md 21.16")
def test_a_model_makes_a_queue_of_a_unique_name_with_its_attributes(models: Host) -> None:
    one = open_(models, "TEMP", SHARED | OUTPUT)
    other = open_(models, "TEMP", SHARED | OUTPUT, dynamic_name="APP.*")
    named = open_(models, "TEMP", OUTPUT, dynamic_name="EXACTLY.THIS")
    assert one.object_name.startswith("AMQ.")
    assert len(one.object_name) == 4 + 16
    assert other.object_name.startswith("APP.")
    assert named.object_name == "EXACTLY.THIS"
    definition = models.objects.queue(one.object_name)
    assert definition is not None
    assert (definition["MAXDEPTH"], definition["DEFTYPE"]) == (77, "TEMPDYN")
    models.put(one.object_name, b"reply")
    assert models.got(one.object_name).data == b"reply"


@pytest.mark.spec("mqi.md 2.5 row 2")
def test_wrong_names_of_dynamic_queues(models: Host) -> None:
    models.local("TAKEN")
    assert refusal(models, "TEMP", OUTPUT, dynamic_name="TAKEN") == MQRC.OBJECT_ALREADY_EXISTS
    assert refusal(models, "TEMP", OUTPUT, dynamic_name="X" * 34 + "*") == MQRC.DYNAMIC_Q_NAME_ERROR
    assert refusal(models, "TEMP", OUTPUT, dynamic_name="no blank") == MQRC.DYNAMIC_Q_NAME_ERROR
    open_(models, "TEMP", OUTPUT, dynamic_name="X" * 33 + "*")


def exists(host: Host, name: str) -> bool:
    return host.queue_manager.queue(name) is not None and host.objects.queue(name) is not None


@pytest.mark.spec("mqi.md 3")
def test_a_temporary_queue_goes_with_its_creators_handle(models: Host) -> None:
    creator = open_(models, "TEMP", SHARED | OUTPUT)
    name = creator.object_name
    other = open_(models, name, OUTPUT)
    models.put(name)
    for options in (MQCO.DELETE, MQCO.DELETE_PURGE):
        with pytest.raises(MQError) as caught:
            close(models, other, options)
        assert caught.value.reason == MQRC.OPTION_NOT_VALID_FOR_TYPE
    close(models, creator)
    assert not exists(models, name)
    with pytest.raises(MQError) as caught:
        other.target.require_puttable()
    assert caught.value.reason == MQRC.Q_DELETED
    close(models, other)


@pytest.mark.spec("mqi.md 3")
def test_a_permanent_queue_stays_unless_it_is_deleted(models: Host) -> None:
    creator = open_(models, "PERM", OUTPUT)
    name = creator.object_name
    close(models, creator)
    assert exists(models, name)
    models.put(name, persistence=1)
    for options in (MQCO.DELETE, MQCO.DELETE_PURGE):
        unit = models.begin()
        models.put(name, unit=unit)
        handle = open_(models, name, OUTPUT)
        with pytest.raises(MQError) as caught:
            close(models, handle, options)
        assert caught.value.reason == MQRC.Q_NOT_EMPTY
        models.backout(unit)
    with pytest.raises(MQError):
        close(models, open_(models, name, OUTPUT), MQCO.DELETE)
    close(models, open_(models, name, OUTPUT), MQCO.DELETE_PURGE)
    assert not exists(models, name)
    assert list(models.store.scan_all()) == []


@pytest.mark.spec("mqi.md 3")
def test_a_predefined_queue_cannot_be_deleted_by_a_close(host: Host) -> None:
    host.local("Q")
    for options in (MQCO.DELETE, MQCO.DELETE_PURGE):
        with pytest.raises(MQError) as caught:
            close(host, open_(host, "Q", OUTPUT), options)
        assert caught.value.reason == MQRC.OPTION_NOT_VALID_FOR_TYPE


@pytest.mark.spec("mqi.md 2.5 row 6")
def test_a_restart_leaves_permanent_queues_alone(models: Host) -> None:
    temporary = open_(models, "TEMP", OUTPUT).object_name
    permanent = open_(models, "PERM", OUTPUT).object_name
    models.put(permanent, b"kept", persistence=1)
    models.restart()
    assert not exists(models, temporary)
    assert models.contents(permanent) == [b"kept"]


# What commands ask


@pytest.mark.spec("channels.md 17.2")
def test_a_queue_is_cleared_or_dropped_only_when_nobody_uses_it(host: Host) -> None:
    host.local("Q")
    host.put("Q", persistence=1)
    host.put("Q", persistence=0)
    with pytest.raises(MQError) as caught:
        host.queue_manager.drop_queue("Q", purge=False)
    assert caught.value.reason == MQRC.Q_NOT_EMPTY
    handle = open_(host, "Q", OUTPUT)
    for call in (
        lambda: host.queue_manager.clear_queue("Q", host.now),
        lambda: host.queue_manager.drop_queue("Q", purge=True),
    ):
        with pytest.raises(MQError) as caught:
            call()
        assert caught.value.reason == MQRC.OBJECT_IN_USE
    close(host, handle)
    unit = host.begin()
    host.got("Q", unit)
    with pytest.raises(MQError) as caught:
        host.queue_manager.clear_queue("Q", host.now)
    assert caught.value.reason == MQRC.Q_NOT_EMPTY
    host.backout(unit)
    host.queue_manager.clear_queue("Q", host.now, host.then())
    host.pump()
    assert (host.outcomes, host.depth("Q"), list(host.store.scan_all())) == ([None], 0, [])


def test_a_queue_defined_again_after_it_was_deleted_is_empty(host: Host) -> None:
    host.local("Q")
    host.put("Q", persistence=1)
    host.put("Q", persistence=0)
    host.delete(Kind.QLOCAL, "Q")
    host.local("Q")
    assert host.depth("Q") == 0
    host.restart()
    assert host.depth("Q") == 0


def test_a_deletion_that_could_not_be_committed_gives_the_stored_messages_back(host: Host) -> None:
    host.local("Q")
    host.put("Q", b"stored", persistence=1)
    host.queue_manager.drop_queue("Q", purge=True)
    change = host.objects.delete(Kind.QLOCAL, "Q")
    host.objects.undo(change)
    assert host.contents("Q") == [b"stored"]
