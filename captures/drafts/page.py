"""A draft as a page of HTML: each field with its evidence. It needs no server and runs no script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from mqbridge.captures.learning.claims import CONSTANT

from .drafting import Drafted
from .kind_drafts import KindDraft
from .specs import Spec
from .summary import conclusion, kinds_text, place, session_texts, shown_values

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; width: 100%; margin: .5em 0 2em; }
th, td { text-align: left; padding: .25em .8em .25em 0; border-bottom: 1px solid #ddd; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: 13px/1.5 ui-monospace, monospace; }
tr.constant, .note { color: #666; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } th, td { border-color: #444; } }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_COLUMNS = ("bytes", "field", "what it is", "values", "borne out by", "by chance")


def page(drafted: Drafted) -> str:
    """Return the page."""
    draft = drafted.draft
    title = escape(drafted.protocol.name if drafted.protocol is not None else "nothing learnt")
    parts = [f"<h1>{title}</h1>", f"<p>{escape(conclusion(drafted))}</p>"]
    if draft.framing is not None:
        parts.append(
            f"<h2>Framing</h2><p>{escape(draft.framing.text)}: {draft.framing.messages:,} messages, every connection "
            f"cut to its end; by chance {_chance(draft.framing.chance)}</p>"
        )
    if drafted.kinds:
        parts.append(f"<h2>Kinds</h2><p>{escape(kinds_text(drafted))}</p>")
    if session := list(session_texts(draft)):
        parts.append(f"<h2>Session</h2><ul>{_list(session)}</ul>")
    if drafted.notes:
        parts.append(f'<h2>What is missing</h2><ul class="note">{_list(drafted.notes)}</ul>')
    for each in drafted.kinds:
        parts += _kind(each)
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _kind(each: KindDraft) -> Iterator[str]:
    yield f"<h2>{escape(each.name)}</h2>"
    about = f"{each.kind.count:,} messages of the {each.role}, {each.kind.sizes[0]} to {each.kind.sizes[1]} bytes"
    if each.is_relaxed:
        about += "; the end varies in a way that is not understood"
    yield f"<p>{escape(about)}</p>"
    heads = "".join(f"<th{_class(number)}>{name}</th>" for number, name in enumerate(_COLUMNS))
    rows = "\n".join(_row(spec, len(each.rows)) for spec in each.specs)
    yield f"<table>\n<tr>{heads}</tr>\n{rows}\n</table>"


def _row(spec: Spec, rows: int) -> str:
    claim = spec.claim
    if claim.what == CONSTANT:
        values = f"(blanked: {spec.blanked})" if spec.blanked else claim.detail["value"].hex(" ")
    else:
        values = shown_values(spec, rows)
    support = f"{claim.support:,} of {claim.tried:,}" if claim.tried else ""
    name = spec.name if claim.what != CONSTANT else ""
    says = f"{claim.what}{': ' if spec.says else ''}{spec.says}"
    texts = (place(spec).strip(), name, says, values, support, _chance(claim.chance))
    cells = "".join(f"<td{_class(number)}>{escape(text)}</td>" for number, text in enumerate(texts))
    return f'<tr class="{escape(claim.what)}">{cells}</tr>'


def _class(number: int) -> str:
    return ' class="number"' if number in (0, 4, 5) else ""


def _chance(power: float) -> str:
    """Return a probability that is given by its logarithm to base 10; nothing for 1, which claims nothing."""
    return "" if power > -0.1 else f"10^{power:.0f}" if power > -1000 else "below 10^-1000"


def _list(texts: Iterable[str]) -> str:
    return "".join(f"<li>{escape(text)}</li>" for text in texts)
