"""The table of channels.md 17.3: every attribute of each object can be given, is kept over a restart, and is shown."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.objects import Kind, Objects
from support.queue_manager.mqsc_bench import NOW, Bench

pytestmark = pytest.mark.spec("channels.md 17.3")

LOCAL = [
    "DESCR('some text')", "PUT(DISABLED)", "GET(DISABLED)", "DEFPRTY(9)", "DEFPSIST(YES)", "DEFSOPT(EXCL)",
    "DEFSOPT(SHARED)", "SHARE", "NOSHARE", "MAXDEPTH(999999999)", "MAXMSGL(104857600)", "MSGDLVSQ(FIFO)",
    "BOTHRESH(3)", "BOQNAME(BACK)", "HARDENBO", "NOHARDENBO", "USAGE(XMITQ)", "TRIGGER", "NOTRIGGER",
    "TRIGTYPE(EVERY)", "TRIGTYPE(DEPTH)", "TRIGTYPE(NONE)", "TRIGDPTH(5)", "TRIGMPRI(9)", "TRIGDATA('data')",
    "INITQ(INIT)", "PROCESS(PROC)", "RETINTVL(24)", "PROPCTL(NONE)", "PROPCTL(ALL)", "PROPCTL(FORCE)",
    "PROPCTL(V6COMPAT)", "DEFREADA(YES)", "DEFREADA(DISABLED)", "DEFPRESP(ASYNC)", "DISTL(YES)", "NPMCLASS(HIGH)",
    "QDEPTHHI(90)", "QDEPTHLO(10)", "QSVCINT(500)", "CUSTOM('CAPEXPRY(600)')",
]  # fmt: skip
REMOTE = [
    "DESCR('some text')", "RNAME(THERE)", "RQMNAME(SATURN)", "XMITQ(X)", "PUT(DISABLED)", "DEFPRTY(9)",
    "DEFPSIST(YES)", "DEFBIND(NOTFIXED)", "DEFBIND(GROUP)",
]  # fmt: skip
ALIAS = [
    "DESCR('some text')", "TARGET(BASE)", "TARGTYPE(TOPIC)", "PUT(DISABLED)", "GET(DISABLED)", "DEFPRTY(9)",
    "DEFPSIST(YES)", "PROPCTL(ALL)",
]  # fmt: skip
TOPIC = [
    "DESCR('some text')", "DEFPRTY(9)", "DEFPSIST(YES)", "DURSUB(NO)", "PUB(DISABLED)", "SUB(DISABLED)",
    "PUBSCOPE(QMGR)", "SUBSCOPE(QMGR)", "PMSGDLV(ALLDUR)", "NPMSGDLV(ALLAVAIL)", "USEDLQ(NO)", "MDURMDL(M)",
    "MNDURMDL(N)", "WILDCARD(BLOCK)",
]  # fmt: skip
MANAGER = [
    "CCSID(819)", "DEADQ(DLQ)", "DEFXMITQ(X)", "MAXMSGL(104857600)", "MAXHANDS(10)", "MAXUMSGS(20)", "TRIGINT(5000)",
    "CHLAUTH(DISABLED)", "CONNAUTH(INFO)", "CHAD(ENABLED)", "MARKINT(100)", "MAXPROPL(9)", "PSMODE(COMPAT)",
]  # fmt: skip
ROWS = [
    *((noun, "", given) for noun in ("QLOCAL", "QMODEL") for given in LOCAL),
    ("QMODEL", "", "DEFTYPE(TEMPDYN)"),
    ("QMODEL", "", "DEFTYPE(PERMDYN)"),
    *(("QREMOTE", "", given) for given in REMOTE),
    *(("QALIAS", "", given) for given in ALIAS),
    *(("TOPIC", "TOPICSTR('a/b')", given) for given in TOPIC),
]


def shown(given: str) -> tuple[str, str]:
    """Keyword and value as DISPLAY has them; a keyword that is a switch shows as itself."""
    keyword, _, value = given.removesuffix(")").partition("(")
    return keyword.removeprefix("NO"), value.strip("'") or keyword


@pytest.mark.parametrize(("noun", "needed", "given"), ROWS)
def test_an_attribute_is_kept_and_shown(noun: str, needed: str, given: str) -> None:
    bench = Bench()
    bench.good(f"DEFINE {noun}(A) {needed} {given}")
    keyword, value = shown(given)
    assert bench.rows(f"DISPLAY {noun}(A) {keyword}")[0][keyword] == value
    again = Objects("EARTH", NOW)
    again.load(sorted(bench.manager.records.items()))
    assert again.find(Kind(noun), "A") == bench.objects.find(Kind(noun), "A")


@pytest.mark.parametrize("given", MANAGER)
def test_an_attribute_of_the_queue_manager_is_kept_and_shown(given: str) -> None:
    bench = Bench()
    bench.good(f"ALTER QMGR {given}")
    keyword, value = shown(given)
    assert bench.rows(f"DISPLAY QMGR {keyword}")[0][keyword] == value
    again = Objects("EARTH", NOW)
    again.load(sorted(bench.manager.records.items()))
    assert again.manager == bench.objects.manager


def test_what_is_read_only_is_shown_and_cannot_be_given() -> None:
    bench = Bench()
    bench.good("DEFINE QLOCAL(A)")
    bench.now += 86400
    bench.good("ALTER QLOCAL(A) DESCR('x')")
    (row,) = bench.rows("DISPLAY QLOCAL(A) CURDEPTH IPPROCS OPPROCS CRDATE CRTIME ALTDATE ALTTIME")
    assert row == {
        "QUEUE": "A", "TYPE": "QLOCAL", "CURDEPTH": "0", "IPPROCS": "0", "OPPROCS": "0", "CRDATE": "2027-01-15",
        "CRTIME": "08.01.00", "ALTDATE": "2027-01-16", "ALTTIME": "08.01.00",
    }  # fmt: skip
    for keyword in ("CURDEPTH", "IPPROCS", "OPPROCS", "CRDATE", "CRTIME", "ALTDATE", "ALTTIME"):
        bench.bad(f"ALTER QLOCAL(A) {keyword}(1)", "AMQ8405")


def test_what_a_queue_manager_is_can_be_read_and_not_changed() -> None:
    bench = Bench()
    (row,) = bench.rows("DISPLAY QMGR QMID MAXPRTY PLATFORM CMDLEVEL")
    assert (row["QMNAME"], row["MAXPRTY"], row["PLATFORM"]) == ("EARTH", "9", "UNIX")
    assert row["QMID"].startswith("EARTH_")
    assert int(row["CMDLEVEL"]) >= 900
    for keyword in ("QMNAME(MARS)", "QMID(X)", "MAXPRTY(8)", "PLATFORM(UNIX)", "CMDLEVEL(900)"):
        bench.bad(f"ALTER QMGR {keyword}", "AMQ8405")


def test_the_string_of_a_topic_is_shown_and_kept() -> None:
    bench = Bench()
    bench.good("DEFINE TOPIC(A) TOPICSTR('Sport/Results') DESCR('x')")
    assert bench.rows("DISPLAY TOPIC(A) TOPICSTR")[0]["TOPICSTR"] == "Sport/Results"
    bench.bad("ALTER TOPIC(A) TOPICSTR('other')", "AMQ8405")


def test_the_target_of_an_alias_has_an_older_name() -> None:
    bench = Bench()
    bench.good("DEFINE QALIAS(A) TARGQ(B)")
    assert bench.rows("DISPLAY QALIAS(A) TARGET")[0]["TARGET"] == "B"


@pytest.mark.parametrize(
    "given", ["CUSTOM('CAPEXPRY(0)')", "CUSTOM('CAPEXPRY(soon)')", "CUSTOM('CAPEXPRY(6)') CAPEXPRY(7)"]
)
def test_a_wrong_cap_of_expiry_is_refused(given: str) -> None:
    Bench().bad(f"DEFINE QLOCAL(A) {given}", "AMQ8405")
