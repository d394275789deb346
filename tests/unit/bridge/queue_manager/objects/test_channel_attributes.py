"""The table of channels.md 3, row by row: who has the attribute, its default, its range, and that it is shown."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from support.queue_manager.mqsc_bench import Bench

pytestmark = pytest.mark.spec("channels.md 3")

TYPES = {"S": "SDR", "V": "SVR", "R": "RCVR", "Q": "RQSTR", "C": "SVRCONN", "N": "CLNTCONN"}
SUPPLIED = {
    "S": "SYSTEM.DEF.SENDER", "V": "SYSTEM.DEF.SERVER", "R": "SYSTEM.DEF.RECEIVER", "Q": "SYSTEM.DEF.REQUESTER",
    "C": "SYSTEM.DEF.SVRCONN", "N": "SYSTEM.DEF.CLNTCONN",
}  # fmt: skip
NEEDED = {"S": "XMITQ(X) CONNAME('h')", "V": "XMITQ(X)", "R": "", "Q": "CONNAME('h')", "C": "", "N": "CONNAME('h')"}

ALL, SENDING, RECEIVING, MESSAGES = "SVRQCN", "SV", "RQ", "SVRQ"
COUNT, SECONDS = 999999999, 999999

NUMBERS = [
    ("BATCHSZ", MESSAGES, 1, 9999, "50"),
    ("BATCHINT", SENDING, 0, COUNT, "0"),
    ("BATCHLIM", SENDING, 0, SECONDS, "5000"),
    ("BATCHHB", SENDING, 0, COUNT, "0"),
    ("DISCINT", SENDING, 0, SECONDS, "6000"),
    ("DISCINT", "C", 0, SECONDS, "0"),
    ("HBINT", ALL, 0, SECONDS, "300"),
    ("KAINT", ALL, 0, 99999, "AUTO"),
    ("SEQWRAP", MESSAGES, 100, COUNT, "999999999"),
    ("MAXMSGL", ALL, 0, 104857600, "4194304"),
    ("SHORTRTY", SENDING, 0, COUNT, "10"),
    ("SHORTTMR", SENDING, 0, SECONDS, "60"),
    ("LONGRTY", SENDING, 0, COUNT, "999999999"),
    ("LONGTMR", SENDING, 0, SECONDS, "1200"),
    ("MRRTY", RECEIVING, 0, COUNT, "10"),
    ("MRTMR", RECEIVING, 0, COUNT, "1000"),
    ("MAXINST", "C", 0, COUNT, "999999999"),
    ("MAXINSTC", "C", 0, COUNT, "999999999"),
    ("SHARECNV", "CN", 0, COUNT, "10"),
]
WORDS = [
    ("NPMSPEED", MESSAGES, "FAST NORMAL"),
    ("CONVERT", SENDING, "NO YES"),
    ("PUTAUT", RECEIVING, "DEF CTX"),
    ("SSLCAUTH", "VRQC", "REQUIRED OPTIONAL"),
    ("COMPHDR", ALL, "NONE SYSTEM"),
    ("COMPMSG", ALL, "NONE RLE ZLIBFAST ZLIBHIGH LZ4FAST LZ4HIGH"),
    ("COMPMSG", "RQC", "NONE ANY"),
    ("USEDLQ", MESSAGES, "YES NO"),
    ("PROPCTL", SENDING, "COMPAT NONE ALL V6COMPAT"),
    ("MONCHL", "SVRQC", "QMGR OFF LOW MEDIUM HIGH"),
    ("STATCHL", MESSAGES, "QMGR OFF LOW MEDIUM HIGH"),
    ("TRPTYPE", ALL, "TCP LU62 NETBIOS SPX"),
]
TEXTS = [
    ("MCAUSER", "SVRQC", 64), ("CERTLABL", ALL, 64), ("LOCLADDR", "SVQN", 48), ("MODENAME", "SVQN", 8),
    ("TPNAME", "SVQCN", 64), ("USERID", "SVQN", 12),
    ("SCYEXIT", ALL, 128), ("SCYDATA", ALL, 32), ("MSGEXIT", MESSAGES, 128), ("MSGDATA", MESSAGES, 32),
    ("SENDEXIT", ALL, 128), ("SENDDATA", ALL, 32), ("RCVEXIT", ALL, 128), ("RCVDATA", ALL, 32),
    ("MREXIT", RECEIVING, 128), ("MRDATA", RECEIVING, 32),
]  # fmt: skip


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    for letter, type_ in TYPES.items():
        bench.good(f"DEFINE CHANNEL({letter}) CHLTYPE({type_}) {NEEDED[letter]}")
    return bench


def value(bench: Bench, channel: str, keyword: str) -> str:
    return bench.rows(f"DISPLAY CHANNEL({channel}) {keyword}")[0][keyword]


def alters(bench: Bench, letter: str, keyword: str, given: object) -> str:
    """What is shown after an ALTER that succeeded."""
    bench.good(f"ALTER CHANNEL({letter}) CHLTYPE({TYPES[letter]}) {keyword}({given})")
    return value(bench, letter, keyword)


def refuses(bench: Bench, letter: str, keyword: str, given: object) -> None:
    before = value(bench, letter, keyword)
    bench.bad(f"ALTER CHANNEL({letter}) CHLTYPE({TYPES[letter]}) {keyword}({given})", "AMQ8405")
    assert value(bench, letter, keyword) == before


@pytest.mark.parametrize(("keyword", "letters", "low", "high", "default"), NUMBERS)
def test_numbers(bench: Bench, keyword: str, letters: str, low: int, high: int, default: str) -> None:
    for letter in letters:
        assert value(bench, SUPPLIED[letter], keyword) == value(bench, letter, keyword) == default
        assert alters(bench, letter, keyword, low) == str(low)
        assert alters(bench, letter, keyword, high) == str(high)
        refuses(bench, letter, keyword, low - 1)
        refuses(bench, letter, keyword, high + 1)


def test_kaint_auto_can_be_given_back(bench: Bench) -> None:
    assert alters(bench, "S", "KAINT", 5) == "5"
    assert alters(bench, "S", "KAINT", "AUTO") == "AUTO"


@pytest.mark.parametrize(("keyword", "letters", "words"), WORDS)
def test_words(bench: Bench, keyword: str, letters: str, words: str) -> None:
    default, *others = words.split()
    for letter in letters:
        assert value(bench, SUPPLIED[letter], keyword) == default
        for word in [*others, default]:
            assert alters(bench, letter, keyword, word) == word
        refuses(bench, letter, keyword, "OTHER")


@pytest.mark.parametrize(("keyword", "letters", "length"), TEXTS)
def test_texts(bench: Bench, keyword: str, letters: str, length: int) -> None:
    for letter in letters:
        assert value(bench, SUPPLIED[letter], keyword) == ""
        assert alters(bench, letter, keyword, f"'{'x' * length}'") == "x" * length
        refuses(bench, letter, keyword, f"'{'x' * (length + 1)}'")
        assert alters(bench, letter, keyword, "' '") == ""


def test_any_data_compression_is_for_receiving_ends(bench: Bench) -> None:
    for letter in SENDING:
        refuses(bench, letter, "COMPMSG", "ANY")


@pytest.mark.parametrize("word", ["ONLYMCA", "ALTMCA"])
def test_authorities_of_another_platform_are_refused(bench: Bench, word: str) -> None:
    for letter in RECEIVING:
        refuses(bench, letter, "PUTAUT", word)


def test_a_transmission_queue_is_the_name_of_a_queue(bench: Bench) -> None:
    for letter in SENDING:
        assert alters(bench, letter, "XMITQ", "X" * 48) == "X" * 48
        for wrong in ("X" * 49, "'a b'", "' '"):
            refuses(bench, letter, "XMITQ", wrong)


def test_connection_names(bench: Bench) -> None:
    for letter in "SVQN":
        for good in ("host", "host(1415)", "one(1),two,10.0.0.3(3)", "h" * 264):
            assert alters(bench, letter, "CONNAME", f"'{good}'") == good
        for wrong in ("h" * 265, "host(0)", "host(65536)", "host(x)", "one two"):
            refuses(bench, letter, "CONNAME", f"'{wrong}'")
    assert alters(bench, "V", "CONNAME", "' '") == ""
    for letter in "SQN":
        refuses(bench, letter, "CONNAME", "' '")


def test_a_password_is_kept_and_never_shown(bench: Bench) -> None:
    for letter in "SVQN":
        assert alters(bench, letter, "PASSWORD", "'secret'") == "********"
        refuses(bench, letter, "PASSWORD", f"'{'x' * 13}'")


def rows() -> Iterable[tuple[str, str]]:
    """Keyword and all the letters that any of its rows names."""
    letters: dict[str, str] = {"XMITQ": "SV", "CONNAME": "SVQN", "PASSWORD": "SVQN"}
    for keyword, those, *_ in (*NUMBERS, *WORDS, *TEXTS):
        letters[keyword] = letters.get(keyword, "") + those
    return letters.items()


@pytest.mark.parametrize(("keyword", "letters"), rows())
def test_no_other_type_has_the_attribute(bench: Bench, keyword: str, letters: str) -> None:
    for letter in set(TYPES) - set(letters):
        reply = bench.bad(f"ALTER CHANNEL({letter}) CHLTYPE({TYPES[letter]}) {keyword}(1)", "AMQ8405")
        assert f"'{keyword}'" in reply.responses[0].text


@pytest.mark.parametrize(
    "name",
    [
        "SYSTEM.DEF.SENDER", "SYSTEM.DEF.SERVER", "SYSTEM.DEF.RECEIVER", "SYSTEM.DEF.REQUESTER", "SYSTEM.DEF.SVRCONN",
        "SYSTEM.DEF.CLNTCONN", "SYSTEM.AUTO.RECEIVER", "SYSTEM.AUTO.SVRCONN",
    ],
)  # fmt: skip
def test_supplied_channels(bench: Bench, name: str) -> None:
    assert bench.names(f"DISPLAY CHANNEL({name})") == [name]


def test_channels_are_not_defined_by_themselves_unless_the_queue_manager_says_so(bench: Bench) -> None:
    assert bench.rows("DISPLAY QMGR CHAD")[0]["CHAD"] == "DISABLED"
