from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.attributes.inquire import InquiredAttributes
from mqbridge.bridge.queue_manager.connections import ObjectHandle
from mqbridge.bridge.queue_manager.objects import Kind, selectors_of
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQCA, MQIA, MQOO, MQOT, MQQT
from mqbridge.protocol.constants.attributes_character import character_length
from support.queue_manager.host import Host
from support.queue_manager.program import PUT_SYNC, Program

pytestmark = pytest.mark.spec("mqi.md 16.2")

NAMES = [MQCA.Q_MGR_NAME, MQCA.Q_NAME, MQCA.DEAD_LETTER_Q_NAME, MQCA.BASE_Q_NAME, MQCA.Q_MGR_IDENTIFIER]


def refused(reason: int, call, *arguments, **more) -> None:
    with pytest.raises(MQError) as error:
        call(*arguments, **more)
    assert error.value.reason == reason


def ascii_blank(text: str) -> bytes:
    return text.encode("ascii")


def inquire(program: Program, hobj: int, *selectors: int, ints: int = 99, chars: int = 9999) -> InquiredAttributes:
    return program.mq.inquire(hobj, selectors, ints, chars)


def ask(host: Host, name: str, *selectors: int, kind: int = MQOT.Q) -> InquiredAttributes:
    program = Program(host)
    return inquire(program, program.open(name, MQOO.INQUIRE, object_type=kind), *selectors)


def texts(found: InquiredAttributes) -> list[str | None]:
    return [value.text for value in found.characters]


# What clients ask right after connect


@pytest.mark.spec("client-observed.md O-015")
@pytest.mark.spec("client-observed.md O-060")
def test_what_clients_ask_after_connecting(host: Host) -> None:
    program = Program(host)
    hobj = program.open("", 0x2020, object_type=MQOT.Q_MGR)
    found = inquire(program, hobj, 31, 32, 2, 2015, 2032, 273, ints=4, chars=100)
    assert found.integers[1:] == [3, 1208, 0]
    assert texts(found)[0] == "EARTH"
    assert str(texts(found)[1]).startswith("EARTH_20")
    assert (found.completion, found.reason, found.char_length) == (0, 0, 96)
    assert found.packed(ascii_blank)[:48] == b"EARTH".ljust(48)
    assert len(found.packed(ascii_blank)) == 96


@pytest.mark.spec("client-observed.md O-017")
def test_the_command_level_lets_clients_work_in_their_normal_mode(host: Host) -> None:
    assert ask(host, "", 31, kind=MQOT.Q_MGR).integers[0] >= 701


@pytest.mark.spec("client-observed.md O-015")
def test_the_dead_letter_queue_is_told(host: Host) -> None:
    assert texts(ask(host, "", 2006, kind=MQOT.Q_MGR)) == [""]
    host.alter_manager(DEADQ="DEAD")
    assert texts(ask(host, "", 2006, kind=MQOT.Q_MGR)) == ["DEAD"]


@pytest.mark.spec("client-observed.md O-096")
def test_what_clients_ask_before_they_move_a_poisoned_message(host: Host) -> None:
    host.local("Q", BOTHRESH=3, BOQNAME="POISON")
    host.define(Kind.QALIAS, "A", TARGET="Q")
    program = Program(host)
    found = inquire(program, program.open("Q", 0x2029), 22, 20, 2019, 2002)
    assert (found.integers, texts(found)) == ([3, 1], ["POISON", None])
    assert (found.completion, found.reason) == (1, 2068)
    found = inquire(program, program.open("A", 0x2029), 22, 20, 2019, 2002)
    assert (found.integers, texts(found)) == ([-1, 3], [None, "Q"])
    assert found.characters[0].packed(ascii_blank) == b"*" * 48


def test_other_attributes_of_the_queue_manager(host: Host) -> None:
    host.alter_manager(MAXHANDS=7, SCHINIT="MANUAL", MONQ="LOW", PSNPMSG="KEEP", CERTLABL="label", MAXMSGL=50000)
    asked = [MQIA.SYNCPOINT, MQIA.MAX_HANDLES, MQIA.CHINIT_CONTROL, MQIA.MONITORING_Q, MQIA.PUBSUB_NP_MSG, 13, 14, 34]
    found = ask(host, "", *asked, MQCA.CERT_LABEL, MQCA.COMMAND_INPUT_Q_NAME, kind=MQOT.Q_MGR)
    assert found.integers == [1, 7, 2, 17, 3, 50000, 9, 1]
    assert texts(found) == ["label", "SYSTEM.ADMIN.COMMAND.QUEUE"]
    assert found.reason == 0


# Kinds of object


def test_a_local_queue_tells_what_is_on_it_and_who_has_it_open(host: Host) -> None:
    host.local("Q", DESCR="mine")
    host.put("Q")
    program = Program(host)
    hobj = program.open("Q", MQOO.INQUIRE | MQOO.OUTPUT)
    program.open("Q", MQOO.INPUT_SHARED)
    program.open("Q", MQOO.INPUT_SHARED)
    program.put(hobj, b"", PUT_SYNC)
    found = inquire(program, hobj, 3, 17, 18, 20, 7, 2013, 2016)
    assert found.integers == [2, 2, 1, MQQT.LOCAL, 1]
    assert texts(found) == ["mine", "Q"]
    assert [value.length for value in found.characters] == [64, 48]


def test_an_alias_and_a_remote_queue_tell_their_own(host: Host) -> None:
    host.local("Q")
    host.transmission("X")
    host.define(Kind.QALIAS, "A", TARGET="Q", DEFPRTY=4)
    host.define(Kind.QREMOTE, "R", RNAME="THERE", RQMNAME="MARS", XMITQ="X", DEFPRTY=5)
    assert ask(host, "A", 20, 6, 3).integers == [MQQT.ALIAS, 4, -1]
    found = ask(host, "R", 20, 6, 2018, 2017, 2024)
    assert (found.integers, texts(found)) == ([MQQT.REMOTE, 5], ["THERE", "MARS", "X"])


def test_a_dynamic_queue_is_a_local_one(host: Host) -> None:
    host.define(Kind.QMODEL, "M", MAXDEPTH=17)
    program = Program(host)
    hobj = program.open("M", MQOO.INQUIRE, dynamic_name="D.*")
    found = inquire(program, hobj, 20, 7, 15, 2016)
    assert found.integers == [1, 3, 17]
    assert str(texts(found)[0]).startswith("D.")


def test_processes_and_namelists(host: Host) -> None:
    host.define(Kind.PROCESS, "P", APPLICID="/bin/run", APPLTYPE="WINDOWSNT", USERDATA="u")
    host.define(Kind.NAMELIST, "N", NAMES=("ONE", "TWO"), DESCR="two")
    found = ask(host, "P", 1, 2001, 2012, 2021, kind=MQOT.PROCESS)
    assert (found.integers, texts(found)) == ([11], ["/bin/run", "P", "u"])
    assert [value.length for value in found.characters] == [256, 48, 128]
    found = ask(host, "N", 19, 2020, 2009, kind=MQOT.NAMELIST)
    assert (found.integers, texts(found)) == ([2], ["ONE", "TWO", "two"])
    assert found.char_length == 48 + 48 + 64


@pytest.mark.parametrize(
    ("kind", "name", "opened"),
    [
        (Kind.QLOCAL, "Q", MQOT.Q), (Kind.QALIAS, "A", MQOT.Q), (Kind.QREMOTE, "R", MQOT.Q),
        (Kind.PROCESS, "P", MQOT.PROCESS), (Kind.NAMELIST, "N", MQOT.NAMELIST), (Kind.QMGR, "EARTH", MQOT.Q_MGR),
    ],
)  # fmt: skip
def test_every_attribute_that_a_kind_has_can_be_asked_for(host: Host, kind: Kind, name: str, opened: int) -> None:
    host.local("Q")
    host.transmission("X")
    host.define(Kind.QALIAS, "A", TARGET="Q")
    host.define(Kind.QREMOTE, "R", RNAME="THERE", RQMNAME="MARS", XMITQ="X")
    host.define(Kind.PROCESS, "P")
    host.define(Kind.NAMELIST, "N", NAMES=("Q",))
    definition = host.objects.find(kind, name)
    assert definition is not None
    asked = [s for word, s in selectors_of(kind).items() if word in definition or word in ("name", "type")]
    assert len(asked) > 4
    found = ask(host, "" if opened is MQOT.Q_MGR else name, *asked, kind=opened)
    assert found.reason == 0
    assert None not in texts(found)


# Limits and refusals


@pytest.mark.parametrize(
    ("selectors", "ints", "chars", "reason"),
    [
        ([3] * 257, 300, 0, 2066),
        ([3, 9999], 2, 0, 2067),
        ([0], 1, 0, 2067),
        ([-4], 1, 0, 2067),
        ([2000], 1, 0, 2067),
        ([4000], 1, 48, 2067),
        ([3], -1, 0, 2021),
        ([2016], 0, -1, 2006),
    ],
)
def test_inquiries_that_are_refused(host: Host, selectors: list[int], ints: int, chars: int, reason: int) -> None:
    host.local("Q")
    program = Program(host)
    hobj = program.open("Q", MQOO.INQUIRE)
    refused(reason, program.mq.inquire, hobj, selectors, ints, chars)


@pytest.mark.parametrize(
    ("selectors", "ints", "chars", "reason", "values", "length"),
    [
        ([], 0, 0, 0, [], 0),
        ([3, 15], 1, 0, 2022, [0], 0),
        ([2016, 2013], 0, 60, 2008, [], 60),
        ([2016, 3, 15], 1, 10, 2022, [0], 10),
        ([2016, 1, 15], 1, 10, 2068, [-1], 10),
        ([3, 2016], 9, 900, 0, [0], 48),
    ],
)
def test_too_little_room_is_a_warning(
    host: Host, selectors: list[int], ints: int, chars: int, reason: int, values: list[int], length: int
) -> None:
    host.local("Q")
    program = Program(host)
    found = program.mq.inquire(program.open("Q", MQOO.INQUIRE), selectors, ints, chars)
    assert (found.reason, found.completion) == (reason, 1 if reason else 0)
    assert (found.integers, found.char_length) == (values, length)
    assert len(found.packed(ascii_blank)) == length


def test_a_deleted_object_cannot_be_asked(host: Host) -> None:
    host.local("Q")
    host.define(Kind.NAMELIST, "N")
    program = Program(host)
    hobj = program.open("N", MQOO.INQUIRE, object_type=MQOT.NAMELIST)
    host.delete(Kind.NAMELIST, "N")
    refused(2052, inquire, program, hobj, 19)


def test_fields_are_filled_with_the_blanks_of_their_code_page(host: Host) -> None:
    found = ask(host, "", 2015, kind=MQOT.Q_MGR)
    assert found.packed(lambda text: text.encode("cp500")) == "EARTH".encode("cp500") + b"\x40" * 43


@pytest.mark.spec("mq-wire.md 9.23")
@pytest.mark.parametrize(
    ("selector", "length"),
    [
        *((name, 48) for name in NAMES), (MQCA.Q_DESC, 64), (MQCA.Q_MGR_DESC, 64), (MQCA.PROCESS_DESC, 64),
        (MQCA.NAMELIST_DESC, 64), (MQCA.TOPIC_DESC, 64), (MQCA.TRIGGER_DATA, 64), (MQCA.CREATION_DATE, 12),
        (MQCA.ALTERATION_DATE, 12), (MQCA.CF_STRUC_NAME, 12), (MQCA.CREATION_TIME, 8), (MQCA.ALTERATION_TIME, 8),
        (MQCA.STORAGE_CLASS, 8), (MQCA.APPL_ID, 256), (MQCA.ENV_DATA, 128), (MQCA.USER_DATA, 128),
        (MQCA.CHANNEL_AUTO_DEF_EXIT, 128), (MQCA.TRIGGER_CHANNEL_NAME, 20),
    ],
)  # fmt: skip
def test_lengths_of_characters(selector: int, length: int) -> None:
    assert character_length(selector) == length


def test_a_handle_knows_its_object() -> None:
    assert ObjectHandle(Kind.PROCESS, "P", 32).object_name == "P"


# MQSET


SETTABLE = [
    (9, 1, "GET", "DISABLED"), (9, 0, "GET", "ENABLED"), (10, 1, "PUT", "DISABLED"), (34, 1, "DISTL", "YES"),
    (24, 1, "TRIGGER", True), (29, 9, "TRIGDPTH", 9), (26, 4, "TRIGMPRI", 4), (28, 0, "TRIGTYPE", "NONE"),
    (28, 1, "TRIGTYPE", "FIRST"), (28, 2, "TRIGTYPE", "EVERY"), (28, 3, "TRIGTYPE", "DEPTH"),
]  # fmt: skip


@pytest.mark.parametrize(("selector", "number", "keyword", "value"), SETTABLE)
def test_what_is_set_is_in_force_and_durable(host: Host, selector: int, number: int, keyword: str, value) -> None:
    host.local("Q", GET="DISABLED", TRIGTYPE="EVERY" if number != 2 else "FIRST")
    program = Program(host)
    hobj = program.open("Q", MQOO.SET | MQOO.INQUIRE)
    program.mq.set(hobj, [selector], [number], [], host.now, program.outcomes.append)
    assert inquire(program, hobj, selector).integers == [number]
    host.pump()
    assert program.outcomes == [None]
    host.restart()
    assert host.objects.queue("Q")[keyword] == value


def test_several_values_in_one_call(host: Host) -> None:
    host.local("Q")
    program = Program(host)
    hobj = program.open("Q", MQOO.SET)
    program.mq.set(hobj, [24, 2023, 29], [1, 5], ["go  \0"], host.now)
    definition = host.objects.queue("Q")
    assert (definition["TRIGGER"], definition["TRIGDATA"], definition["TRIGDPTH"]) == (True, "go", 5)


def test_inhibition_by_a_program(host: Host) -> None:
    host.local("Q")
    program = Program(host)
    hobj = program.open("Q", MQOO.SET | MQOO.OUTPUT | MQOO.INPUT_SHARED)
    program.mq.set(hobj, [10, 9], [1, 1], [], host.now)
    refused(2051, program.put, hobj)
    refused(2016, program.get, hobj)
    program.mq.set(hobj, [10, 9], [0, 0], [], host.now)
    program.put(hobj)
    assert program.data(hobj) == b"data"


def test_aliases_are_inhibited_by_themselves(host: Host) -> None:
    host.local("Q")
    host.define(Kind.QALIAS, "A", TARGET="Q")
    program = Program(host)
    hobj = program.open("A", MQOO.SET | MQOO.OUTPUT)
    program.mq.set(hobj, [10], [1], [], host.now)
    refused(2051, program.put, hobj)
    assert program.put1("Q") is not None
    refused(2067, program.mq.set, hobj, [24], [1], [], host.now)


@pytest.mark.parametrize(
    ("selectors", "integers", "characters", "reason"),
    [
        ([10], [2], [], 2020), ([9], [-1], [], 2020), ([24], [2], [], 2075), ([29], [0], [], 2076),
        ([26], [10], [], 2077), ([26], [-1], [], 2077), ([28], [4], [], 2078), ([3], [1], [], 2067),
        ([2013], [], ["x"], 2067), ([77777], [1], [], 2067), ([10, 9], [1], [], 2021), ([2023], [], [], 2006),
        ([10] * 257, [1] * 257, [], 2066),
    ],
)  # fmt: skip
def test_settings_that_are_refused_change_nothing(host: Host, selectors, integers, characters, reason: int) -> None:
    host.local("Q")
    program = Program(host)
    hobj = program.open("Q", MQOO.SET)
    before = dict(host.objects.queue("Q"))
    refused(reason, program.mq.set, hobj, selectors, integers, characters, host.now)
    assert dict(host.objects.queue("Q")) == before


def test_a_setting_that_the_store_refuses_is_taken_back(host: Host) -> None:
    host.local("Q")
    program = Program(host)
    hobj = program.open("Q", MQOO.SET | MQOO.OUTPUT)
    host.store.failure = StoreFull("no room")
    program.mq.set(hobj, [10], [1], [], host.now, program.outcomes.append)
    host.pump()
    host.store.failure = None
    assert program.outcomes[0] is not None
    assert program.outcomes[0].reason == 2056
    program.put(hobj)


def test_remote_queues_cannot_be_opened_to_be_set(host: Host) -> None:
    host.transmission("X")
    host.define(Kind.QREMOTE, "R", RNAME="THERE", RQMNAME="MARS", XMITQ="X")
    refused(2045, Program(host).open, "R", MQOO.SET)


def test_a_temporary_queue_can_be_set(host: Host) -> None:
    host.define(Kind.QMODEL, "M")
    program = Program(host)
    hobj = program.open("M", MQOO.SET | MQOO.OUTPUT)
    program.mq.set(hobj, [10], [1], [], host.now, program.outcomes.append)
    assert program.outcomes == [None]
    refused(2051, program.put, hobj)


def test_switching_triggering_on_triggers(host: Host) -> None:
    host.local("INIT")
    host.define(Kind.PROCESS, "P")
    host.local("Q", TRIGTYPE="FIRST", INITQ="INIT", PROCESS="P")
    monitor = Program(host)
    monitor.open("INIT", MQOO.INPUT_SHARED)
    host.put("Q")
    program = Program(host)
    program.mq.set(program.open("Q", MQOO.SET), [24], [1], [], host.now)
    host.pump()
    assert host.depth("INIT") == 1
