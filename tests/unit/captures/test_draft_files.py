"""Files of a draft: a grammar that reads what was learnt and passes our lint and types, a page that escapes all."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mqbridge.bridge.config.protocol_files import SHIPPED, shipped_protocol
from mqbridge.captures.drafts.grammar_form import grammar
from mqbridge.captures.drafts.lua_form import lua
from mqbridge.mappings.templates import read_protocol
from mqbridge.protocol.constants import ByteOrder
from support.captures.vectors import thesis

pytest.importorskip("numpy")

from mqbridge.captures.drafts import Collected, Drafted, DraftOptions, draft_protocol
from mqbridge.captures.drafts.page import page
from support.learning.made_protocols import orders, streams_of

HOME = Path(__file__).parents[3]


def drafted(**options: str) -> Drafted:
    streams = streams_of(orders, connections=12, messages=30)
    found = draft_protocol(Collected(streams), DraftOptions(**options))  # type: ignore[arg-type]
    assert found.tried.all_right
    return found


def loaded(text: str, folder: Path) -> ModuleType:
    file = folder / "grammar.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("drafted_grammar", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_grammar_reads_what_the_template_reads(tmp_path: Path) -> None:
    found = drafted()
    assert found.protocol is not None
    structure = loaded(grammar(found.protocol), tmp_path).REQUEST_01
    for message in found.messages:
        read = found.protocol.read(message.data, ("initiator", "responder")[message.side])  # type: ignore[arg-type]
        assert read is not None
        if read.transaction.name == "request-01":
            parsed = structure.grammar(ByteOrder.BIG).parse(message.data)
            assert (parsed.length, parsed.number) == (read.values.fields["length"], read.values.fields["number"])
            name = read.transaction.maps["message"]
            assert parsed[name.replace("-", "")].decode("latin-1") == read.values.fields[name]


def test_the_grammar_of_the_thesis_reads_its_packets(tmp_path: Path) -> None:
    module = loaded(grammar(shipped_protocol("mq-capture")), tmp_path)
    parsed = module.MESSAGE.grammar(ByteOrder.BIG).parse(thesis(6))
    assert (parsed.total, parsed.sequence, parsed.data_length, parsed.message) == (485, 7, 9, b"Mensaje 0")


def test_grammars_pass_our_lint_and_types(tmp_path: Path) -> None:
    found = drafted()
    assert found.protocol is not None
    named = [("learnt", found.protocol), *((name, shipped_protocol(name)) for name in SHIPPED)]
    for name, protocol in named:
        (tmp_path / f"{name.replace('-', '_')}.py").write_text(grammar(protocol))
    lint = ["ruff", "check", "--config", "ruff.toml"], ["ruff", "format", "--check", "--config", "ruff.toml"]
    for words in (*lint, ["mypy", "--strict", "--follow-imports=silent"]):
        done = subprocess.run(
            [sys.executable, "-m", *words, tmp_path], cwd=HOME, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def test_a_page_escapes_what_it_shows() -> None:
    shown = page(drafted(name="a"))
    assert "<script" not in shown
    assert "default-src 'none'" in shown
    assert "&#x27;ORDER&#x27;" in shown
    strange = drafted()
    strange.notes.append("<script>alert(1)</script>")
    assert "&lt;script&gt;" in page(strange)


def test_text_in_lua_cannot_end_its_string() -> None:
    assert lua('a"b\\c\nd') == '"a\\034b\\092c\\010d"'
    protocol = read_protocol(
        '[protocol]\nname = "a"\ndescription = "x\\"\\n\\"\\"\\"y"\n[framing]\nkind = "close"\n[[transaction]]\n'
        'name = "b"\ndescription = "\\"\\"\\" + evil() + \\"\\"\\""\nfield = [{ name = "class", length = "rest" }]\n',
        "odd.toml",
    )
    compile(grammar(protocol), "grammar.py", "exec")
    assert "evil() " not in grammar(protocol).replace("+ evil() +", "")
