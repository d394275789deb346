"""What is wrong in the description of a protocol is named with file, line, key and the nearest key."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.config.protocol_files import MAX_FILE, SHIPPED, load_protocol, shipped_protocol
from mqbridge.mappings.templates import TemplateError, read_protocol
from mqbridge.mappings.templates.limits import MAX_TEXT

HEAD = '[protocol]\nname = "p"\n[framing]\nkind = "length"\nposition = 0\n'
PACKET = '[[transaction]]\nname = "a"\nrecognise = [{ position = 4, value = "01" }]\n'
LENGTH = '{ name = "size", length = 4, type = "unsigned", compute = { kind = "length", of = "packet" } }'
GOOD = f'{HEAD}{PACKET}field = [{LENGTH}, {{ name = "rest", length = "rest" }}]\n'
STATE = '[[session.initiator.state]]\nname = "one"\n'


def fields(*each: str, before: str = "") -> str:
    return f"{HEAD}{PACKET}{before}field = [\n" + "".join(f"  {one},\n" for one in each) + "]\n"


def fault(text: str) -> TemplateError:
    with pytest.raises(TemplateError) as caught:
        read_protocol(text, "host.toml")
    return caught.value


def test_the_good_one_is_good() -> None:
    assert list(read_protocol(GOOD, "host.toml").transactions) == ["a"]


@pytest.mark.spec("M-166")
@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (GOOD.replace("recognise", "recognize"), 8, "did you mean 'recognise'?"),
        (GOOD.replace("[framing]", "[framming]"), 3, "did you mean 'framing'?"),
        (GOOD.replace('kind = "length"', 'kind = "lenght"', 1), 4, "did you mean 'length'?"),
        (GOOD.replace("position = 0", "positon = 0"), 5, "did you mean 'position'?"),
        (GOOD.replace('"unsigned"', '"unsignet"'), 9, "did you mean 'unsigned'?"),
        (fields(LENGTH, '{ name = "b", length = 4, typ = "text" }'), 11, "did you mean 'type'?"),
        (fields(LENGTH, '{ name = "b", position = 2, length = 4 }'), 11, "'b' at 2 overlaps 'size', which ends at 4"),
        (
            fields(LENGTH, '{ name = "b", position = 9, length = 1 }'),
            6,
            "bytes 4 to 8 (before b) are in no field or tem",
        ),
        (fields(LENGTH, '{ name = "size", length = 1 }'), 11, "there is a field 'size' already"),
        (fields(LENGTH, before='template = "00 00"\n'), 11, "extends = true allows it"),
        (fields(LENGTH, '{ name = "b" }'), 11, "has no 'length'"),
        (fields(LENGTH, '{ name = "b", length = 3, type = "float" }'), 11, "4 to 8 bytes"),
        (fields(LENGTH, '{ name = "b", length = { field = "c" } }'), 11, "no field 'c' above gives the length of 'b'"),
        (fields(LENGTH, '{ name = "b", position = { after = "c" }, length = 1 }'), 11, "no field above it"),
        (fields('{ name = "r", length = "rest" }', '{ name = "s", length = "rest" }'), 11, "its length must be fixed"),
        (fields(LENGTH, '{ name = "b", length = 4, type = "text", ccsid = 3 }'), 11, "no codec for CCSID 3"),
        (fields(LENGTH, '{ name = "b", length = 2, type = "text", value = "abc" }'), 11, "text of 3 bytes"),
        (fields(LENGTH, '{ name = "b", length = 8, type = "time", form = "digits", format = "MMDD" }'), 11, "a year"),
        (fields(LENGTH, '{ name = "b", length = 4, compute = "tim" }'), 11, "did you mean 'time'?"),
        (fields(LENGTH, '{ name = "b", length = 4, compute = { kind = "checksum", method = "md5" } }'), 11, "needs 16"),
        (GOOD.replace('of = "packet"', 'of = "pocket"'), 9, "there is no field 'pocket'"),
        (GOOD + GOOD[GOOD.index("[[") :].replace('name = "a"', 'name = "b"'), 12, "have the same recogniser"),
        (GOOD + GOOD[GOOD.index("[[") :], 11, "there is a transaction 'a' already"),
        (GOOD.replace('value = "01"', 'value = "01", mask = "00"'), 8, "so it never holds"),
        (GOOD + 'template = { file = "x.hex" }\n', 10, "there is no file 'x.hex'"),
        (
            GOOD.replace('kind = "length"', 'kind = "transactions"', 1).replace("position = 0\n", ""),
            4,
            "takes the rest",
        ),
        ("[protocol\n", 1, "not valid TOML"),
        ("", 1, "no table [protocol]"),
        (HEAD, 1, "no tables [[transaction]]"),
    ],
)
def test_faults(text: str, line: int, expected: str) -> None:
    error = fault(text)
    assert expected in str(error)
    assert (error.file, error.line) == ("host.toml", line)


@pytest.mark.spec("M-169")
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ('rule = [{ on = "enter", next = "one" }]', "an endless script"),
        (
            'rule = [{ on = "enter", next = "two" }]\n[[session.initiator.state]]\nname = "two"\n'
            'rule = [{ on = "enter", send = "a", next = "one" }]',
            "an endless script",
        ),
        ('within = 0\nrule = [{ on = "timeout", send = "a", next = "one" }]', "seconds from 0.01"),
        ('rule = [{ on = "idle", send = "a" }]', "but no 'idle'"),
        ('rule = [{ on = "put", send = "b" }]', "there is no transaction 'b'"),
        ('rule = [{ on = "put", send = "a", next = "on" }]', "did you mean 'one'?"),
        ('rule = [{ packet = "a", where = { siz = 1 } }]', "did you mean 'size'?"),
        ('rule = [{ on = "put" }, { on = "put" }]', "there is a rule for 'put' already"),
        ('rule = [{ packet = "a" }, { packet = "a" }]', "with the same values already"),
        ('rule = [{ on = "put", deliver = true }]', "'deliver' is for packets"),
        ('rule = [{ on = "put", send = { packet = "a", copy = "rest" } }]', "the rest is copied"),
        ('rule = [{ packet = "a", accepted = true, refused = true }]', "accepted or refused"),
        ('[[session.initiator.state]]\nname = "one"', "there is a state 'one' already"),
    ],
)
def test_faults_of_scripts(rules: str, expected: str) -> None:
    error = fault(GOOD + STATE + rules)
    assert expected in str(error)
    assert error.line
    assert error.line >= 10


@pytest.mark.spec("M-174")
def test_sizes_are_limited(tmp_path: Path) -> None:
    assert "longer than" in str(fault("#" * (MAX_TEXT + 1)))
    assert "1000 are allowed" in str(fault(HEAD + "[[transaction]]\nname = 'a'\n" * 1001))
    assert "too deep" in str(fault("a = " + "[" * 5000 + "]" * 5000))
    big = tmp_path / "big.toml"
    with big.open("wb") as stream:
        stream.truncate(100 << 20)
    with pytest.raises(TemplateError, match=f"more than {MAX_FILE} bytes"):
        load_protocol(big)
    big.write_text(GOOD + 'template = { file = "big.bin" }\n', encoding="utf-8")
    with (tmp_path / "big.bin").open("wb") as stream:
        stream.truncate(100 << 20)
    with pytest.raises(TemplateError, match=r"big\.bin has more than"):
        load_protocol(big)


@pytest.mark.spec("M-161")
def test_templates_come_from_files_beside_the_description(tmp_path: Path) -> None:
    file = tmp_path / "host.toml"
    file.write_text(fields(LENGTH, before='template = [{ file = "a.hex" }, { file = "b.bin" }]\n'), encoding="utf-8")
    (tmp_path / "a.hex").write_text("# a remark\n00 00 00 00\n01", encoding="utf-8")
    (tmp_path / "b.bin").write_bytes(b"two")
    assert load_protocol(file).transactions["a"].layout.head[1].bytes == b"\x01two"
    (tmp_path / "a.hex").write_text("xx", encoding="utf-8")
    with pytest.raises(TemplateError, match="not hexadecimal"):
        load_protocol(file)
    (tmp_path / "a.hex").unlink()
    with pytest.raises(TemplateError, match=r"a\.hex cannot be read"):
        load_protocol(file)
    file.write_text(GOOD + 'template = { file = "../a.hex" }\n', encoding="utf-8")
    with pytest.raises(TemplateError, match="no file in the folder"):
        load_protocol(file)
    file.write_bytes(b"\n\xff")
    with pytest.raises(TemplateError, match="line 2: not UTF-8"):
        load_protocol(file)


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_is_read(name: str) -> None:
    assert shipped_protocol(name).name == name
    with pytest.raises(KeyError):
        shipped_protocol("other")
