from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.mqsc import MAX_LINE, Command, MQSCSyntaxError, ScriptReader, parse, read_script
from mqbridge.bridge.queue_manager.mqsc.words import NOUN_SYNONYMS, VERB_SYNONYMS, VERBS

pytestmark = pytest.mark.spec("channels.md 20.19")


def parameters(command: Command) -> dict[str, list[str] | None]:
    return {parameter.keyword: parameter.values for parameter in command.parameters}


def wrong(text: str) -> MQSCSyntaxError:
    with pytest.raises(MQSCSyntaxError) as caught:
        parse(text)
    assert caught.value.amq == "AMQ8405"
    return caught.value


def commands(script: str) -> list[str]:
    found = []
    for source in read_script(script.split("\n")):
        assert not isinstance(source, MQSCSyntaxError), source
        found.append(source.text)
    return found


@pytest.mark.spec("channels.md 17.1 rule 1")
def test_verb_object_name_and_parameters_in_any_order() -> None:
    one = parse("DEFINE QLOCAL(A) MAXDEPTH(5) SHARE PUT(ENABLED)")
    other = parse("DEFINE QLOCAL(A) SHARE PUT ( ENABLED ) MAXDEPTH(5)")
    assert (one.verb, one.noun, one.name) == ("DEFINE", "QLOCAL", "A")
    assert parameters(one) == parameters(other) == {"MAXDEPTH": ["5"], "SHARE": None, "PUT": ["ENABLED"]}


@pytest.mark.spec("channels.md 17.1 rule 2")
def test_unquoted_text_is_folded_and_quoted_text_is_kept() -> None:
    command = parse("define qLocal(My.Queue) descr('It''s Mine') put(enabled)")
    assert command.name == "MY.QUEUE"
    assert parameters(command) == {"DESCR": ["It's Mine"], "PUT": ["ENABLED"]}
    assert parse("DEFINE QLOCAL('My.Queue')").name == "My.Queue"
    assert wrong("DEFINE QLOCAL('A").expected == "a closing quote"


@pytest.mark.spec("channels.md 17.1 rule 3")
def test_blanks_and_commas_separate_and_every_parameter_needs_one() -> None:
    spaced = parse("  DISPLAY   QUEUE( A* ) ,, CURDEPTH ,MAXDEPTH   PUT,")
    assert parameters(spaced) == {"CURDEPTH": None, "MAXDEPTH": None, "PUT": None}
    assert parameters(parse("DEFINE NAMELIST(N) NAMES(A,B  C)")) == {"NAMES": ["A", "B", "C"]}
    error = wrong("DEFINE QLOCAL(A)MAXDEPTH(5)")
    assert (error.line, error.column, error.expected) == (1, 17, "a blank before the parameter")


@pytest.mark.spec("channels.md 17.1 rule 4")
@pytest.mark.parametrize("name", ["A.B/C_D%E", "ABC*", "*", "10.1.2.3"])
def test_names_and_generic_names_need_no_quotes(name: str) -> None:
    assert parse(f"DISPLAY QUEUE({name})").name == name


@pytest.mark.spec("channels.md 17.1 rule 4")
@pytest.mark.parametrize("value", ["a-b", "a:b", "a@b", "x=y", "é"])
def test_other_characters_need_quotes(value: str) -> None:
    assert "quotes" in wrong(f"DEFINE QLOCAL(A) DESCR({value})").expected
    assert parameters(parse(f"DEFINE QLOCAL(A) DESCR('{value}')")) == {"DESCR": [value]}


@pytest.mark.spec("channels.md 17.1 rule 5")
@pytest.mark.parametrize(
    "text",
    [
        "DEFINE QLOCAL(A) MAXDEPTH(5) MAXDEPTH(5)",
        "DEFINE QLOCAL(A) REPLACE NOREPLACE",
        "DEFINE QLOCAL(A) NOSHARE SHARE",
        "DEFINE QLOCAL(A) DESCR( )",
        "DEFINE QLOCAL()",
        "DEFINE QLOCAL('')",
    ],
)
def test_repeated_and_empty_parameters_are_refused(text: str) -> None:
    assert wrong(text).column > 1


@pytest.mark.spec("channels.md 17.1 rule 5")
def test_a_blank_value_and_an_empty_list_of_names_are_no_error() -> None:
    assert parameters(parse("ALTER QLOCAL(A) DESCR(' ')")) == {"DESCR": [" "]}
    assert parameters(parse("ALTER QLOCAL(A) DESCR('')")) == {"DESCR": [" "]}  # as runmqsc takes it
    assert parameters(parse("ALTER NAMELIST(A) NAMES( )")) == {"NAMES": []}


@pytest.mark.spec("channels.md 17.1 rule 6")
@pytest.mark.parametrize(("short", "long"), list(VERB_SYNONYMS.items()))
def test_synonyms_of_verbs(short: str, long: str) -> None:
    noun = VERBS[long][0]
    assert parse(f"{short} {noun}(A)").verb == long


@pytest.mark.spec("channels.md 17.1 rule 6")
@pytest.mark.parametrize(("short", "long"), list(NOUN_SYNONYMS.items()))
def test_synonyms_of_objects(short: str, long: str) -> None:
    verb = next(verb for verb, nouns in VERBS.items() if long in nouns)
    assert parse(f"{verb} {short}").noun == long


@pytest.mark.spec("channels.md 17.1 rule 6")
@pytest.mark.parametrize("text", ["DEL QLOCAL(A)", "DEFI QLOCAL(A)", "DEFINE QLOC(A)", "DISPL QMGR", "CLEAR QUEUE(A)"])
def test_other_abbreviations_are_refused(text: str) -> None:
    error = wrong(text)
    assert error.found == f"'{text.split()[0 if error.column == 1 else 1].split('(')[0]}'"


@pytest.mark.spec("channels.md 17.1 rule 7")
def test_lines_continue_after_plus_and_minus() -> None:
    assert commands("DEFINE QLOCAL(A) +\n     MAXDEPTH(5)") == ["DEFINE QLOCAL(A) MAXDEPTH(5)"]
    assert commands("DEFINE QLOCAL(A) DESCR('one-\n two')") == ["DEFINE QLOCAL(A) DESCR('one two')"]
    assert commands("DEFINE QLOCAL(A) DESCR('one+\n two')") == ["DEFINE QLOCAL(A) DESCR('onetwo')"]
    assert commands("DEFINE QLOCAL(A) DESCR('one +  \n two')") == ["DEFINE QLOCAL(A) DESCR('one two')"]


@pytest.mark.spec("channels.md 17.1 rule 7")
def test_comments_and_blank_lines_are_passed_over_inside_a_command_too() -> None:
    script = "* a comment\n\nDEFINE QLOCAL(A) +\n*  CURDEPTH(3) +\n   \n   SHARE\n* end\nPING QMGR"
    assert commands(script) == ["DEFINE QLOCAL(A) SHARE", "PING QMGR"]


@pytest.mark.spec("channels.md 17.1 rule 7")
def test_the_limit_of_a_line() -> None:
    prefix = "DEFINE QLOCAL(A) DESCR('"
    fits = prefix + "x" * (MAX_LINE - len(prefix) - 2) + "')"
    assert commands(fits) == [fits]
    reader = ScriptReader()
    with pytest.raises(MQSCSyntaxError) as caught:
        reader.feed(fits + " ")
    assert (caught.value.line, caught.value.column) == (1, MAX_LINE + 1)
    assert not reader.pending


@pytest.mark.spec("channels.md 17.1 rule 7")
def test_a_script_that_ends_inside_a_command_is_an_error() -> None:
    (error,) = read_script(["DEFINE QLOCAL(A) +"])
    assert isinstance(error, MQSCSyntaxError)
    assert error.line == 2


def test_the_place_of_an_error_is_that_in_the_script() -> None:
    (source,) = read_script(["DEFINE QLOCAL(A) +", "* comment", "   MAXDEPTH(5)SHARE"])
    assert not isinstance(source, MQSCSyntaxError)
    error = None
    try:
        parse(source)
    except MQSCSyntaxError as caught:
        error = caught
    assert error is not None
    assert (error.line, error.column, error.found) == (3, 15, "'SHARE'")
    assert str(error) == "line 3, column 15: expected a blank before the parameter, found 'SHARE'"


@pytest.mark.spec("channels.md 17.1 rule 7")
@pytest.mark.parametrize("word", ["END", "exit", "Quit;"])
def test_a_script_ends_at_end(word: str) -> None:
    assert commands(f"PING QMGR\n{word}\nnonsense") == ["PING QMGR"]


@pytest.mark.spec("channels.md 17.1 rule 8")
def test_a_semicolon_may_end_a_command() -> None:
    assert parse("DEFINE QLOCAL(A) ;").name == "A"
    assert parameters(parse("DEFINE QLOCAL(A) DESCR('a;b');")) == {"DESCR": ["a;b"]}
    assert wrong("PING QMGR; PING QMGR").expected == "nothing after ';'"


@pytest.mark.parametrize(
    "text", ["", " ", ";", "(", "DEFINE", "DEFINE QLOCAL(A", "DEFINE QLOCAL(A))", "DEFINE 'QLOCAL'"]
)
def test_fragments_are_syntax_errors(text: str) -> None:
    error = wrong(text)
    assert error.line == 1
    assert error.expected
