"""Write ``protocol/layouts``, the record classes of all structures of fixed layout: ``make layouts``.

A grammar in ``protocol/structures`` names the classes that it wants, which are imported from here::

    from mqbridge.protocol.layouts.tm import TmBig, TmLittle

    TM = Structure("TM", _tm, TmBig, TmLittle, mq_name="MQTM", spec="mq-wire.md 5.15")

This writes the module with both, and ``Tm``, of which they are the children. Grammars are read without the modules, so
that it does not matter whether these are there, or what they hold.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

HOME: Final = Path(__file__).parents[1]
FOLDER: Final = HOME / "protocol" / "layouts"
ROOM: Final = "mqbridge.protocol.layouts"
WIDTH: Final = 120
COMPILED: Final = "@mypyc_attr(allow_interpreted_subclasses=True)"
"""What each class says to mypyc, for the reason that ``protocol/records.py`` gives."""
HEAD: Final = '''\
"""{title}

Made by ``make layouts`` from {source}: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record
'''


BUILDERS_HEAD: Final = '''\
"""Builders of structures that differ in few fields.

Made by ``make layouts`` from ``protocol/structures/builders.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
'''


def modules() -> dict[str, str]:
    """Return the text of each module by the name of its file."""
    from mqbridge.protocol import structures
    from mqbridge.protocol.grammar import Structure

    found: dict[str, dict[str, Any]] = {}
    for info in pkgutil.iter_modules(structures.__path__):
        for each in vars(importlib.import_module(f"{structures.__name__}.{info.name}")).values():
            records = each.records if isinstance(each, Structure) else None
            if records is not None and records[0].__module__ == f"{ROOM}.{info.name}":
                found.setdefault(info.name, {})[_record(each)] = each
    texts = {f"{name}.py": module(name, classes) for name, classes in found.items()}
    return {"__init__.py": f'"""{_INIT}"""\n', "builders.py": builders(), **texts}


_INIT: Final = """Record classes of structures of fixed layout, made by ``make layouts`` from ``protocol/structures``.

``protocol.records`` says what a record is, ``protocol.grammar`` how a grammar names its classes.
"""


def module(name: str, classes: Mapping[str, Any]) -> str:
    """Return a module with these classes."""
    names = ", ".join(dict.fromkeys(structure.mq_name for structure in classes.values()))
    lines = [HEAD.format(title=f"Records of {names}.", source=f"``protocol/structures/{name}.py``").rstrip("\n")]
    for each, structure in classes.items():
        lines += _classes(each, structure)
    return "\n".join(lines) + "\n"


def builders() -> str:
    """Return the module of the builders of few fields."""
    from mqbridge.protocol.structures.builders import BUILDERS

    lines = [BUILDERS_HEAD.rstrip("\n")]
    wanted: dict[str, set[str]] = {}
    for structure, _ in BUILDERS.values():
        record = _record(structure)
        wanted.setdefault(structure.records[0].__module__, set()).add(record)
    lines += ["", *(f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(wanted.items()))]
    for name, (structure, varying) in BUILDERS.items():
        lines += _builder(name, structure, varying)
    return "\n".join(lines) + "\n"


def _builder(name: str, structure: Any, varying: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a builder: between the fields that differ stand parts of the bytes of a record."""
    from mqbridge.protocol.constants import ByteOrder
    from mqbridge.protocol.slots import checked_slots

    slots = checked_slots(structure.name, structure.grammar(ByteOrder.LITTLE), ByteOrder.LITTLE)
    chosen = {slot.field.key: slot for slot in slots if slot.field.key in varying}
    parts, codes, values, position = [], "", [], 0
    for slot in (*chosen.values(), None):
        end = structure.size if slot is None else slot.offset
        if end > position:
            parts.append((position, end))
            codes += f"{end - position}s"
            values.append(f"self._from_{position}")
        if slot is not None:
            codes += _format([slot])
            values.append(_packed(slot, slot.field.key))
            position = slot.offset + slot.size
    yield from ("", "", f"class {name}:")
    yield f'    """Builds {structure.mq_name} from fields that differ; the others are those of a record."""'
    yield ""
    names = [*(f"_from_{start}" for start, _ in parts), "_pack", "_record"]
    yield from _tuple("    __slots__ = ", [f'"{each}"' for each in names], "")
    yield from ("", f"    def __init__(self, record: {_record(structure)}) -> None:")
    yield from ("        self._record = record.copy()", "        fixed = record.build()")
    yield from (f"        self._from_{start} = fixed[{start}:{end}]" for start, end in parts)
    yield f'        self._pack = Struct(record.ORDER.prefix + "{codes}").pack'
    yield ""
    yield from _wrapped("    def build(", ["self", *(f"{key}: {_type(chosen[key])}" for key in varying)], ") -> bytes:")
    yield from _guarded(
        [f"len({key}) == {slot.size}" for key, slot in chosen.items() if _type(slot) == "bytes"], "self._pack(", values
    )
    yield from _wrapped("        raise self._record.copy(", [f"{key}={key}" for key in varying], ")._unfit()")


def _record(structure: Any) -> str:
    name: str = structure.records[0].__name__
    return name.removesuffix("Big")


def _classes(name: str, structure: Any) -> Iterator[str]:
    """Yield the lines of the three classes of a structure."""
    from mqbridge.protocol.constants import ByteOrder
    from mqbridge.protocol.slots import checked_slots

    orders = {order: checked_slots(structure.name, structure.grammar(order), order) for order in ByteOrder}
    little = orders[ByteOrder.LITTLE]
    keys = [slot.field.key for slot in little]
    yield from ("", "", COMPILED, f"class {name}(Record):")
    yield f'    """{structure.mq_name}, {structure.size} bytes, {structure.spec}."""'
    yield ""
    yield from _tuple("    KEYS: ClassVar[tuple[str, ...]] = ", [f'"{key}"' for key in keys], "")
    yield from ("    __slots__ = KEYS", "")
    yield f'    NAME: ClassVar[str] = "{structure.name}"'
    yield f"    SIZE: ClassVar[int] = {structure.size}"
    yield ""
    yield from (f"    {slot.field.key}: {_type(slot)}" for slot in little)
    yield from _init(orders[ByteOrder.BIG])
    yield from _parse(little)
    yield from _build(little)
    for order, slots in orders.items():
        yield from ("", "", COMPILED, f"class {name}{order.name.title()}({name}):")
        yield f'    """The same, {order.endian}-endian."""'
        yield from ("", "    __slots__ = ()", "")
        yield f"    ORDER: ClassVar[ByteOrder] = ByteOrder.{order.name}"
        yield f'    LAYOUT: ClassVar[Struct] = Struct("{order.prefix}{_format(little)}")'
        if order is ByteOrder.LITTLE and _defaults(slots) != _defaults(orders[ByteOrder.BIG]):
            yield from _init(slots)


def _init(slots: Sequence[Any]) -> Iterator[str]:
    arguments = [
        f"{slot.field.key}: {_type(slot)} = {default}" for slot, default in zip(slots, _defaults(slots), strict=True)
    ]
    yield ""
    yield from _wrapped("    def __init__(", ["self", "*", *arguments], ") -> None:")
    yield from (f"        self.{slot.field.key} = {slot.field.key}" for slot in slots)


def _parse(slots: Sequence[Any]) -> Iterator[str]:
    """A swapped field is read into a name first."""
    targets = [slot.field.key if slot.swapped else f"self.{slot.field.key}" for slot in slots]
    yield from ("", "    @classmethod", "    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:")
    yield from ("        try:", "            values = cls.LAYOUT.unpack_from(buffer, offset)")
    yield from ("        except error:", "            raise cls._short(buffer, offset) from None")
    yield from ("        made: Any = cls", "        self: Self = made.__new__(made)")
    yield from _tuple("        ", targets, " = values")
    for slot in slots:
        if slot.swapped:
            yield f'        self.{slot.field.key} = int.from_bytes({slot.field.key}, "big")'
    yield "        return self"


def _build(slots: Sequence[Any]) -> Iterator[str]:
    yield from ("", "    def build(self) -> bytes:")
    lengths = [f"len(self.{slot.field.key}) == {slot.size}" for slot in slots if _type(slot) == "bytes"]
    yield from _guarded(lengths, "self.LAYOUT.pack(", [_packed(slot, f"self.{slot.field.key}") for slot in slots])
    yield "        raise self._unfit()"


def _guarded(lengths: Sequence[str], pack: str, values: Sequence[str]) -> Iterator[str]:
    """Yield what packs values if they fit."""
    yield "        try:"
    if lengths:
        yield from _conditions("            if ", lengths)
    yield from _wrapped(f"            {'    ' if lengths else ''}return {pack}", values, ")")
    yield from ("        except (error, TypeError, OverflowError, AttributeError):", "            pass")


def _packed(slot: Any, value: str) -> str:
    return f'{value}.to_bytes({slot.size}, "big")' if slot.swapped else value


def _type(slot: Any) -> str:
    return "int" if slot.swapped or slot.length is None else "bytes"


def _defaults(slots: Sequence[Any]) -> list[str]:
    """Return the source of the default of each field."""
    return [_bytes(slot.field.default) if _type(slot) == "bytes" else repr(int(slot.field.default)) for slot in slots]


def _bytes(value: bytes) -> str:
    if len(value) > 1 and len(set(value)) == 1:
        return f"{_bytes(value[:1])} * {len(value)}"
    return 'b"' + repr(value)[2:-1].replace("\\x00", "\\0") + '"'


def _format(slots: Iterable[Any]) -> str:
    """Return the ``struct`` format behind the byte order."""
    return "".join(f"{slot.size}s" if slot.swapped else slot.code for slot in slots)


def _tuple(head: str, items: Sequence[str], tail: str) -> list[str]:
    """Return a tuple as ``ruff format`` would: in one line, or in one for each item."""
    line = f"{head}({', '.join(items)}{',' if len(items) == 1 else ''}){tail}"
    if len(line) <= WIDTH:
        return [line]
    indent = head[: len(head) - len(head.lstrip())]
    return [f"{head}(", *(f"{indent}    {item}," for item in items), f"{indent}){tail}"]


def _wrapped(head: str, items: Sequence[str], tail: str) -> list[str]:
    """Return arguments as ``ruff format`` would: in one line, in one of their own, or one line for each."""
    line = ", ".join(items)
    if len(head + line + tail) <= WIDTH:
        return [head + line + tail]
    indent = head[: len(head) - len(head.lstrip())]
    inner = f"{indent}    {line}"
    if len(inner) <= WIDTH:
        return [head, inner, indent + tail]
    return [head, *(f"{indent}    {item}," for item in items), indent + tail]


def _conditions(head: str, conditions: Sequence[str]) -> list[str]:
    line = f"{head}{' and '.join(conditions)}:"
    if len(line) <= WIDTH:
        return [line]
    indent = head[: len(head) - len(head.lstrip())]
    first, *others = conditions
    return [f"{head}(", f"{indent}    {first}", *(f"{indent}    and {each}" for each in others), f"{indent}):"]


class _Wanted(MetaPathFinder, Loader):
    """Stands for the modules while grammars are read: each name in them is an empty class of records."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find the room and its modules, and nothing else."""
        return ModuleSpec(name, self, is_package=name == ROOM) if f"{name}.".startswith(f"{ROOM}.") else None

    def exec_module(self, module: ModuleType) -> None:
        """Let the module have every name."""
        from mqbridge.protocol.constants import ByteOrder
        from mqbridge.protocol.records import Record

        def named(name: str) -> type[Record]:
            order = ByteOrder.BIG if name.endswith("Big") else ByteOrder.LITTLE
            return type(name, (Record,), {"__module__": module.__name__, "ORDER": order})

        vars(module)["__getattr__"] = named


def main() -> None:
    """Write all modules, and remove those that no grammar asks for."""
    sys.path.insert(0, str(HOME))
    sys.meta_path.insert(0, _Wanted())
    texts = modules()
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.py"):
        if file.name not in texts:
            file.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
