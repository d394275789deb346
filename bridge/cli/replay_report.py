"""The report of ``mqbridge replay`` for a terminal or a pipe: tables of bounded length, the worst first."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TextIO

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mqbridge.captures.report.summary import FindingGroup, Summary, outcome_of
from mqbridge.captures.rules import Rule, Severity
from mqbridge.captures.tables import FlowRow

SHOWN_FLOWS: Final = 20
SHOWN_CALLS: Final = 30
SHOWN_RULES: Final = 40
SHOWN_FINDINGS: Final = 5
PIPE_WIDTH: Final = 4096
"""Columns of a pipe or file: lines are not broken there."""

_COLOURS: Final = {
    Severity.ERROR.value: "bold red",
    Severity.WARNING.value: "yellow",
    Severity.SECURITY.value: "magenta",
    Severity.PERFORMANCE.value: "cyan",
    Severity.INFERRED.value: "blue",
    Severity.INFO.value: "dim",
}
_KINDS: Final = {"client-connection": "client", "message-channel": "channel", "tls": "TLS", "unknown": "unknown"}
_MILLISECONDS: Final = 1000


def print_report(summary: Summary, output: Path | None) -> None:
    """Write the report to standard output. ``output``: folder of the tables, if any were written."""
    console = _console()
    _captures(console, summary)
    _flows(console, summary)
    _calls(console, summary)
    _batches(console, summary)
    _findings(console, summary)
    if output is not None:
        _line(console, f"tables are in {output}")
    _verdict(console, summary)


def print_rules(rules: Iterable[Rule]) -> None:
    """Write the catalogue to standard output."""
    console = _console()
    table = _table("rule", "severity", "title", "spec", "example")
    listed = list(rules)
    for row in listed:
        table.add_row(row.number, _coloured(row.severity.value), *_cells(row.title, row.spec, row.example))
    if _fits(console, table):
        console.print(table)
        return
    for row in listed:
        head = f"[bold]{row.number}[/bold] {_coloured(row.severity.value)}"
        console.print(f"{head} {escape(clean(row.title))} [dim]({escape(row.spec)})[/dim]", soft_wrap=True)
        expected, _, seen = row.example.partition("; seen: ")
        _line(console, f"  {expected}")
        _line(console, f"  seen:     {seen}")


def moment(seconds: float) -> str:
    """Format a time in UTC, to the microsecond: ``2025-09-13 01:33:35.077512``."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    except (ValueError, OverflowError, OSError):
        return f"{seconds:.6f}"


class _Console(Console):
    """A console that leaves a closed output to the command."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _console() -> Console:
    console = _Console(file=sys.stdout, highlight=False)
    if console.is_terminal:
        return console
    return _Console(file=_Stripped(sys.stdout), highlight=False, width=PIPE_WIDTH)


class _Stripped(io.TextIOBase):
    """A text stream without the trailing blanks of tables."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._line = ""

    def write(self, text: str) -> int:
        *whole, self._line = (self._line + text).split("\n")
        for line in whole:
            self._file.write(line.rstrip() + "\n")
        return len(text)

    def flush(self) -> None:
        self._file.flush()


def clean(text: str) -> str:
    """Return text from the wire without unprintable characters."""
    return text if text.isprintable() else "".join(one if one.isprintable() else "\ufffd" for one in text)


def _cells(*texts: str) -> list[str]:
    return [escape(clean(text)) for text in texts]


def _table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        number = name in right
        table.add_column(name, justify="right" if number else "left", overflow="fold", no_wrap=number)
    return table


def _fits(console: Console, table: Table) -> bool:
    """Return whether no cell of a table has to be broken."""
    return console.measure(table, options=console.options.update(width=PIPE_WIDTH)).maximum <= console.width


def _line(console: Console, text: str) -> None:
    console.print(clean(text), markup=False, soft_wrap=True)


def _title(console: Console, text: str) -> None:
    console.print()
    console.print(f"[bold]{escape(text)}[/bold]")


def _coloured(severity: str) -> str:
    return f"[{_COLOURS[severity]}]{severity}[/]"


def _more(console: Console, shown: int, there: int, what: str) -> None:
    if there > shown:
        _line(console, f"… {there - shown:,} more {what}")


def _captures(console: Console, summary: Summary) -> None:
    packets = sum(row.packets for row in summary.captures)
    size = sum(row.bytes for row in summary.captures)
    count = len(summary.captures)
    what = summary.captures[0].capture if count == 1 else f"{count:,} captures"
    _line(
        console,
        f"{what}: {packets:,} packets, {size:,} bytes, {len(summary.flows):,} flows, {summary.segments:,} segments,"
        f" {summary.messages:,} messages",
    )
    if summary.flows:
        begin, end = min(row.start for row in summary.flows), max(row.end for row in summary.flows)
        _line(console, f"{moment(begin)} to {moment(end)} UTC, {end - begin:,.3f} seconds")
    unread = sum(row.unread for row in summary.captures)
    if unread:
        _line(console, f"{unread:,} packets could not be read")


def _flows(console: Console, summary: Summary) -> None:
    if not summary.flows:
        return
    _title(console, "Flows")
    many = len(summary.capture_names) > 1
    names = ("flow", "client", "server", "begins", "seconds", "kind", "channel", "queue manager", "user", "segments")
    table = _table(
        *(("capture",) if many else ()),
        *names,
        "messages",
        "outcome",
        right=("flow", "seconds", "segments", "messages"),
    )
    worst = sorted(summary.flows, key=lambda row: (-row.errors, row.outcome == "ended", -row.findings))[:SHOWN_FLOWS]
    places = summary.capture_names
    days = len({moment(row.start)[:10] for row in worst}) > 1
    shown = [(row, _flow(row, days)) for row in sorted(worst, key=lambda row: (places[row.capture], row.flow))]
    for row, texts in shown:
        table.add_row(*_cells(*([row.capture, *texts] if many else texts)))
    if _fits(console, table):
        console.print(table)
    else:
        for row, texts in shown:
            _flow_lines(console, row.capture if many else "", texts)
    _more(console, SHOWN_FLOWS, len(summary.flows), "flows")


def _flow_lines(console: Console, capture: str, texts: list[str]) -> None:
    """Print a flow as lines where a table does not fit."""
    number, client, server, begins, seconds, kind, channel, queue_manager, user, segments, messages, outcome = texts
    where = f"{capture}, " if capture else ""
    who = [channel, queue_manager, f"user {user}" if user else ""]
    console.print(
        f"{escape(clean(where))}[bold]flow {number}[/bold] {escape(clean(f'{client} to {server}: {outcome}'))}",
        soft_wrap=True,
    )
    _line(console, f"  {', '.join(filter(None, (f'{kind} {who[0]}'.strip(), *who[1:])))}")
    _line(console, f"  {begins}, {seconds} seconds, {segments} segments, {messages} messages")


def _flow(row: FlowRow, with_day: bool) -> list[str]:
    names = [_KINDS[row.kind] if row.kind != "tls" or not row.tls_version else "", row.tls_version, row.tls_server_name]
    kind = " ".join(filter(None, names))
    return [
        str(row.flow),
        row.client,
        row.server,
        moment(row.start)[0 if with_day else 11 : -3],
        f"{row.end - row.start:.3f}",
        kind,
        row.channel,
        row.queue_manager,
        row.user,
        f"{row.segments:,}",
        f"{row.messages:,}",
        outcome_of(row),
    ]


def _calls(console: Console, summary: Summary) -> None:
    if not summary.calls:
        return
    _title(console, "Calls (milliseconds)")
    right = ("count", "failed", "unanswered", "p50", "p95", "p99", "max")
    table, narrow = _table("call", *right, "reasons", right=right), _table("call", *right, right=right)
    ordered = sorted(summary.calls.values(), key=lambda row: (-row.count, row.name))
    told, lines = [], []
    for row in ordered[:SHOWN_CALLS]:
        reasons = ", ".join(f"{name} {count:,}" for name, count in row.reasons.most_common(3))
        latencies = [*row.latency.percentiles(50, 95, 99), row.latency.highest] if row.latency.count else []
        shown = [f"{value * _MILLISECONDS:,.3f}" for value in latencies] or [""] * 4
        cells = _cells(row.name, f"{row.count:,}", f"{row.failed:,}", f"{row.unanswered:,}", *shown)
        table.add_row(*cells, *_cells(reasons))
        narrow.add_row(*cells)
        told += [f"  {row.name}: {reasons}"] if reasons else []
        lines += [f"{row.name}: {row.count:,}, {row.failed:,} failed, {row.unanswered:,} unanswered"]
        lines += [f"  p50 {shown[0]}, p95 {shown[1]}, p99 {shown[2]}, max {shown[3]}"] if latencies else []
        lines += [f"  {reasons}"] if reasons else []
    if _fits(console, table):
        console.print(table)
        lines = []
    elif _fits(console, narrow):
        console.print(narrow)
        lines = told
    for line in lines:
        _line(console, line)
    _more(console, SHOWN_CALLS, len(ordered), "calls")


def _batches(console: Console, summary: Summary) -> None:
    if not summary.batches:
        return
    _title(console, "Batches")
    middle, most = (*summary.batch_messages.percentiles(50), 0.0)[0], summary.batch_messages.highest
    batches = "1 batch" if summary.batches == 1 else f"{summary.batches:,} batches"
    text = f"{batches}, {middle:.0f} messages in the middle, {most:.0f} at the most"
    if summary.batch_latency.count:
        half, nearly = (value * _MILLISECONDS for value in summary.batch_latency.percentiles(50, 95))
        text += f"; confirmed in {half:,.3f} ms (p50), {nearly:,.3f} ms (p95)"
    _line(console, text)


def _findings(console: Console, summary: Summary) -> None:
    groups = summary.by_severity()
    if not groups:
        return
    _title(console, "Findings")
    for group in groups[:SHOWN_RULES]:
        _group(console, summary, group)
    _more(console, SHOWN_RULES, len(groups), "rules with findings")


def _group(console: Console, summary: Summary, group: FindingGroup) -> None:
    console.print(
        f"{_coloured(group.severity)} [bold]{group.rule}[/bold] {escape(clean(group.title))}: {group.count:,}"
        f" [dim]({escape(group.spec)})[/dim]"
    )
    for row in group.kept[:SHOWN_FINDINGS]:
        place = [f"flow {row.flow}"] if row.flow else []
        place += [f"packet {row.packet}"] if row.packet else []
        if len(summary.capture_names) > 1:
            place.insert(0, row.capture)
        time = f"{moment(row.time)}  " if row.time else ""
        if place:
            _line(console, f"  {time}{', '.join(place)}")
        _line(console, f"    expected: {row.expected}")
        _line(console, f"    seen:     {row.seen}")
    if group.count > SHOWN_FINDINGS:
        _line(console, f"  … {group.count - SHOWN_FINDINGS:,} more")


def _verdict(console: Console, summary: Summary) -> None:
    console.print()
    counts: Any = summary.severities
    shown = ", ".join(f"{counts[one.value]:,} {one.value}" for one in Severity if counts[one.value]) or "no findings"
    verdict = "[green]conforms[/green]" if summary.conforms else "[bold red]does not conform[/bold red]"
    if summary.conforms and summary.incomplete:
        verdict = "[green]conforms[/green], as far as it is in the capture"
    if summary.conforms and not summary.segments:
        verdict = "[yellow]nothing to judge, no MQ is in it that could be read[/yellow]"
    console.print(f"{verdict}: {shown}")
