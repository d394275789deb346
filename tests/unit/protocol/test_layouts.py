"""The record classes in ``protocol/layouts`` are those that the grammars ask for."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mqbridge.protocol import structures
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.md import Md, Md1, MdBig, MdLittle
from mqbridge.protocol.slots import record_class
from mqbridge.protocol.structures import MD, MD1, SEGMENT_HEADERS

HOME = Path(__file__).parents[3]
ORDERS = pytest.mark.parametrize("order", list(ByteOrder))
MADE = {
    name: value
    for name, value in vars(structures).items()
    if isinstance(value, Structure) and value.records is not None
}


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_layouts", HOME / "packaging" / "write_layouts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_modules_are_as_new_as_their_grammars(writer: ModuleType) -> None:
    folder = HOME / "protocol" / "layouts"
    there = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.py")}
    assert there == writer.modules(), "run `make layouts`"


def test_modules_that_are_missing_are_written_anew(tmp_path: Path) -> None:
    """In a copy of what the grammars need, without one module and with a wrong one."""
    for name in ("mqbridge/__init__.py", "packaging/write_layouts.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((HOME / name).read_bytes())
    for file in (HOME / "protocol").rglob("*.py"):
        copied = tmp_path / "mqbridge" / file.relative_to(HOME)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(file.read_bytes())
    (tmp_path / "protocol").symlink_to("mqbridge/protocol")
    layouts = tmp_path / "protocol" / "layouts"
    (layouts / "md.py").unlink()
    (layouts / "rfh.py").write_text("raise RuntimeError\n", encoding="utf-8")
    (layouts / "old.py").write_text('"""Nobody asks for it."""\n', encoding="utf-8")
    subprocess.run([sys.executable, "packaging/write_layouts.py"], cwd=tmp_path, check=True, timeout=60, env={})
    for file in (HOME / "protocol" / "layouts").glob("*.py"):
        assert (layouts / file.name).read_bytes() == file.read_bytes()
    assert not (layouts / "old.py").exists()


def test_long_lines_are_broken_as_the_formatter_does(writer: ModuleType) -> None:
    items = [f"a_rather_long_name_of_an_item_{number}" for number in range(4)]
    assert writer._wrapped("    f(", items[:2], ")") == [f"    f({items[0]}, {items[1]})"]
    assert writer._wrapped("    " + "f" * 20 + "(", items[:3], ")") == [
        "    " + "f" * 20 + "(",
        "        " + ", ".join(items[:3]),
        "    )",
    ]
    assert writer._wrapped("    f(", items, ")") == ["    f(", *(f"        {item}," for item in items), "    )"]
    assert writer._tuple("    ", ["one"], " = values") == ["    (one,) = values"]


@ORDERS
@pytest.mark.parametrize("structure", MADE.values(), ids=MADE)
def test_records_are_copied_and_kept(structure: Structure[Any], order: ByteOrder) -> None:
    codec = structure.codec(order)
    assert (structure.name, order, structure.size) == (codec.NAME, codec.ORDER, codec.SIZE)
    assert [slot.field.key for slot in codec.SLOTS] == list(codec.KEYS)
    record = codec()
    assert {slot.field.key: slot.field.default for slot in codec.SLOTS} == record.as_dict()
    assert codec.parse(record.build()) == record
    for other in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record)), record.copy()):
        assert type(other) is codec
        assert other == record
    key = codec.KEYS[0]
    changed = b"\1" * codec.SLOTS[0].size if codec.SLOTS[0].length is not None else 1 + getattr(record, key)
    assert record.copy(**{key: changed}) != record
    assert getattr(record.copy(**{key: changed}), key) == changed
    assert record != structure.codec(ByteOrder.BIG if order is ByteOrder.LITTLE else ByteOrder.LITTLE)()
    with pytest.raises(TypeError):
        codec(colour=1)
    with pytest.raises(TypeError):
        hash(record)


def test_classes_are_those_that_the_grammar_names() -> None:
    assert (MD.codec(ByteOrder.BIG), MD.codec(ByteOrder.LITTLE)) == (MdBig, MdLittle)
    assert issubclass(MdBig, Md)
    assert issubclass(MD.first(324).codec(ByteOrder.BIG), Md1)
    assert MD.first(324) is MD1
    assert (MdBig().encoding, MdLittle().encoding) == (273, 546)
    assert repr(MD1.codec(ByteOrder.BIG)(priority=3)).startswith("MD(struc_id=b'MD  ', version=1,")


@ORDERS
def test_a_layout_without_a_module_behaves_like_one_with(order: ByteOrder) -> None:
    made, other = SEGMENT_HEADERS.codec(order), record_class("MESSAGE_DATA", SEGMENT_HEADERS.grammar(order), order)
    assert (made.KEYS, made.SLOTS, made.SIZE, order) == (other.KEYS, other.SLOTS, other.SIZE, other.ORDER)
    record = other(tsh_seg_length=500, md_priority=7)
    assert record.as_dict() == made(tsh_seg_length=500, md_priority=7).as_dict()
    assert record.build() == made(tsh_seg_length=500, md_priority=7).build()
    assert other.parse(b"x" + record.build(), 1) == record == record.copy()
    with pytest.raises(StructureError, match=r"ends inside MD\.ApplOriginData: 4 bytes needed, 3 there"):
        other.parse(record.build()[:-1])
    for values in ({"md_msg_id": b"short"}, {"tsh_seg_length": 1 << 32}, {"md_expiry": None}):
        with pytest.raises(LocalProtocolError):
            other(**values).build()
    with pytest.raises(TypeError, match="colour"):
        other(colour=1)


def test_the_first_fields_of_a_structure_need_no_module() -> None:
    layout = Structure("X", lambda n: structures.MD.grammar(n.order))
    assert layout.first(8).codec(ByteOrder.BIG)(version=2).build() == b"MD  \0\0\0\2"
