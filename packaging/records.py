"""Records as `dataclasses` makes them, for the archive of a device: that module imports others which read and take
apart programs, and a device has no room for 1 MiB of them.

It knows what the modules of the archive use: records with slots and without bases, whose fields have a default, or a
factory of one, or are left out of ``__init__`` or of what is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

_MISSING: Final = object()
_FACTORY: Final = object()


class FrozenInstanceError(AttributeError):
    """A record does not change."""


class _Field:
    """What `field` says."""

    __slots__ = ("default", "factory", "init", "name", "repr")

    def __init__(self, default: Any, factory: Any, *, init: bool, shown: bool) -> None:
        self.name = ""
        self.default, self.factory, self.init, self.repr = default, factory, init, shown


def field(*, default: Any = _MISSING, default_factory: Any = _MISSING, init: bool = True, repr: bool = True) -> Any:
    """Return what stands behind the name of a field."""
    return _Field(default, default_factory, init=init, shown=repr)


def dataclass(*, slots: bool, frozen: bool = False, eq: bool = True) -> Callable[[type], type]:
    """Make a record of a class. Raises `TypeError` for one that it does not know how to make."""

    def make(cls: type) -> type:
        if not slots or cls.__bases__ != (object,):
            raise TypeError(f"{cls.__qualname__} has no slots, or bases")
        members = {name: each for name, each in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
        fields = []
        for name in members.get("__annotations__", {}):
            found = members.pop(name, _MISSING)
            one = found if isinstance(found, _Field) else _Field(found, _MISSING, init=True, shown=True)
            one.name = name
            fields.append(one)
        made = _methods(cls.__qualname__, fields, frozen=frozen, eq=eq, ready="__post_init__" in members)
        arguments = tuple(each.name for each in fields if each.init)
        made |= {"__slots__": tuple(each.name for each in fields), "__match_args__": arguments}
        return type(cls)(cls.__name__, (), {**made, **members, "__qualname__": cls.__qualname__})

    return make


def replace(record: Any, /, **changes: Any) -> Any:
    """Return a record with other values."""
    kept = {name: getattr(record, name) for name in record.__match_args__ if name not in changes}
    return type(record)(**kept, **changes)


def _methods(name: str, fields: list[_Field], *, frozen: bool, eq: bool, ready: bool) -> dict[str, Any]:
    """Return the methods of a record. ``ready``: it has `__post_init__`."""
    known: dict[str, Any] = {"set_": object.__setattr__, "factory_": _FACTORY, "frozen_": _frozen}
    arguments, body = [], []
    for each in fields:
        own = each.name
        value = own if each.init else f"default_{own}"
        default = ""
        if each.factory is not _MISSING:
            known[f"make_{own}"] = each.factory
            default, value = "=factory_", f"make_{own}() if {own} is factory_ else {own}"
        elif each.default is not _MISSING:
            known[f"default_{own}"] = each.default
            default = f"=default_{own}"
        if each.init:
            arguments.append(own + default)
        body.append(f"set_(self, {own!r}, {value})" if frozen else f"self.{own} = {value}")
    if ready:
        body.append("self.__post_init__()")
    values, others = ("".join(f"{one}.{each.name}, " for each in fields) for one in ("self", "other"))
    shown = ", ".join(f"{each.name}={{self.{each.name}!r}}" for each in fields if each.repr)
    text = [f"def __init__(self, {', '.join(arguments)}):", *(f"  {each}" for each in body or ["pass"])]
    text += ["def __repr__(self):", f"  return f'{{type(self).__qualname__}}({shown})'"]
    if eq:
        text += ["def __eq__(self, other):", "  if other.__class__ is not self.__class__:", "    return NotImplemented"]
        text += [f"  return ({values}) == ({others})", "__hash__ = None"]
    if eq and frozen:
        text += ["def __hash__(self):", f"  return hash(({values}))"]
    if frozen:
        text += ["__setattr__ = __delattr__ = frozen_"]
    made: dict[str, Any] = {}
    exec("\n".join(text), known, made)
    for each in made.values():
        if callable(each) and each is not _frozen:
            each.__qualname__ = f"{name}.{each.__name__}"
    return made


def _frozen(self: Any, name: str, *value: Any) -> None:
    what = "is not taken away" if not value else "does not change"
    raise FrozenInstanceError(f"field {name!r} of {type(self).__qualname__} {what}")
