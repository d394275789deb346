from __future__ import annotations

import re
from dataclasses import fields as fields_of
from pathlib import Path

from mqbridge.bridge.cli import COMMANDS
from mqbridge.bridge.config import (
    Configuration,
    EveryplaceAccessSettings,
    EveryplaceListenerSettings,
    parse_configuration,
)

PAGE = (Path(__file__).parents[3] / "docs" / "operating.md").read_text(encoding="utf-8")

NESTED = ("listeners", "access")
NEED_MORE = {"listener", "admin", "security", "route", "link", "bus"}
NEED_MORE |= {"everyplace", "everyplace.listener", "everyplace.access", "partner", "myopenq"}
"""Tables whose defaults depend on the data folder, or which have keys without a default."""


def documented_keys() -> dict[tuple[str, str], str]:
    """Table and key → default, as the page writes them."""
    rows = re.findall(r"^\| (?:`\[+([\w.]+?)(?:\.NAME)?\]+`)? *\| `(\w+)` \| `([^|]*)` \|", PAGE, re.MULTILINE)
    keys, table = {}, ""
    for named, key, default in rows:
        table = named or table
        keys[table, key] = default
    return keys


def settings_classes() -> dict[str, type]:
    fields = fields_of(Configuration)
    sections = {one.metadata.get("key") or one.name: one.metadata for one in fields if one.metadata}
    kinds = ("table", "optional_table", "tables", "named_tables")
    found = {key: next(metadata[kind] for kind in kinds if kind in metadata) for key, metadata in sections.items()}
    return {
        **found,
        "everyplace.listener": EveryplaceListenerSettings,
        "everyplace.access": EveryplaceAccessSettings,
    }


def keys_of(settings: type) -> set[str]:
    """The keys of a table as they are written in a file, but for those with rows of their own."""
    fields = [one for one in fields_of(settings) if "place" not in one.metadata and one.name not in NESTED]
    return {one.metadata.get("key") or one.name for one in fields}


def test_every_key_is_documented_and_no_other() -> None:
    keys = {(table, one) for table, settings in settings_classes().items() for one in keys_of(settings)}
    assert set(documented_keys()) == keys


def test_the_documented_defaults_are_the_defaults() -> None:
    keys = {
        place: default
        for place, default in documented_keys().items()
        if place[0] not in NEED_MORE and default != "none"
    }
    text = "".join(f"{table}.{key} = {default}\n" for (table, key), default in keys.items())
    read = parse_configuration(text, Path("queue-manager.toml"))
    defaults = Configuration(source=read.source)
    assert read == defaults
    documented = documented_keys()
    assert documented["listener", "endpoint"] == f'"{defaults.listeners[0].endpoint}"'
    assert documented["security", "users"].replace("DATA", "mqbridge-data") == f'"{defaults.users_file}"'
    assert documented["admin", "endpoint"].replace("DATA", "mqbridge-data") == f'"{defaults.admin_endpoint}"'


def test_the_documented_defaults_of_a_door_are_its_defaults() -> None:
    known = {key: default for (table, key), default in documented_keys().items() if table == "myopenq"}
    text = "".join(f"{key} = {default}\n" for key, default in known.items() if default != "none")
    file = Path("queue-manager.toml")
    assert parse_configuration(f"[[myopenq]]\n{text}", file) == parse_configuration("[[myopenq]]\n", file)


def test_every_command_is_documented() -> None:
    for name in COMMANDS:
        assert f"| `mqbridge {name}" in PAGE
