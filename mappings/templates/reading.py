"""A description of a protocol in TOML as `Protocol`; the language stands in docs/partners.md (M-160, M-166, M-174)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .fields import Size
from .framing import CloseFraming, DelimiterFraming, FixedFraming, Framing, LengthFraming, TransactionFraming
from .limits import DEFAULT_PACKET, MAX_ALL_FIELDS, MAX_PACKET, MAX_TRANSACTIONS
from .protocol import ROLES, Protocol
from .reading_fields import Defaults, codec, order_of
from .reading_script import read_script
from .reading_transactions import named_files, read_transaction
from .tables import Table, read_document
from .transaction import Role, Transaction

_LENGTH_KEYS: Final = ("position", "width", "order", "encoding", "unit", "counts", "add", "ccsid")
_FRAMING_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "length": _LENGTH_KEYS,
    "mark": ("value", "text", *_LENGTH_KEYS),
    "delimiter": ("value", "text", "keep", "ccsid"),
    "fixed": ("length",),
    "close": (),
    "transactions": (),
}
_LEAST_PACKET: Final = 1


def read_protocol(text: str, name: str, files: Mapping[str, bytes] | None = None) -> Protocol:
    """Return the protocol that a text describes.

    ``name``: of the file, for faults. ``files``: the content of files that templates name, by these names; see
    `files_of`. Raises `TemplateError` with file, line, key and the nearest key.
    """
    top = read_document(text, name).allow("protocol", "framing", "transaction", "session")
    head = top.table("protocol").allow("name", "description", "order", "ccsid", "most")
    if "protocol" not in top:
        raise top.fault("", "there is no table [protocol]")
    codec(head, 1208)
    defaults = Defaults(order_of(head, "big"), head.number("ccsid", 1, 65535, 1208))
    most = head.number("most", _LEAST_PACKET, MAX_PACKET, DEFAULT_PACKET)
    transactions = _transactions(top, defaults, files or {}, most)
    framing = _framings(top, defaults, transactions)
    session = top.table("session").allow(*ROLES)
    by_name = {each.name: each for each in transactions}
    scripts = {role: read_script(session.table(role), by_name, role) for role in ROLES if role in session}
    return Protocol(head.named("name"), transactions, framing, most, scripts, head.text("description"))


def files_of(text: str, name: str) -> list[str]:
    """Return the names of the files that `read_protocol` needs for a text. Raises `TemplateError`."""
    return named_files(read_document(text, name).content)


def _transactions(top: Table, defaults: Defaults, files: Mapping[str, bytes], most: int) -> list[Transaction]:
    found: list[Transaction] = []
    names: set[str] = set()
    fields = 0
    for table in top.tables("transaction", MAX_TRANSACTIONS):
        transaction = read_transaction(table, defaults, files, most)
        if transaction.name in names:
            raise table.fault("name", f"there is a transaction {transaction.name!r} already")
        names.add(transaction.name)
        fields += len(transaction.fields)
        if fields > MAX_ALL_FIELDS:
            raise table.fault("field", f"more than {MAX_ALL_FIELDS} fields in all")
        _check_recogniser(table, transaction, found)
        found.append(transaction)
    if not found:
        raise top.fault("", "there are no tables [[transaction]]")
    return found


def _check_recogniser(table: Table, transaction: Transaction, others: Sequence[Transaction]) -> None:
    """No two packets of one sender have the same recogniser."""
    mine = _bits(transaction)
    for other in others:
        shared = [role for role in ROLES if transaction.sent_by(role) and other.sent_by(role)]
        if shared and _bits(other) == mine:
            raise table.fault(
                "recognise",
                f"{transaction.name!r} and {other.name!r} of the {shared[0]} have the same recogniser",
            )


def _bits(transaction: Transaction) -> dict[int, tuple[int, int]]:
    """Mask and value of each byte that a recogniser looks at."""
    found: dict[int, tuple[int, int]] = {}
    for each in transaction.conditions:
        for index, (bits, byte) in enumerate(zip(each.mask, each.value, strict=True), each.position):
            mask, value = found.get(index, (0, 0))
            if mask | bits:
                found[index] = (mask | bits, value | byte)
    return found


def _framings(top: Table, defaults: Defaults, transactions: Sequence[Transaction]) -> dict[Role, Framing]:
    if "framing" not in top:
        raise top.fault("", "there is no table [framing]")
    table = top.table("framing")
    if not set(ROLES) & table.content.keys():
        return dict.fromkeys(ROLES, _framing(table, defaults, transactions, ROLES))
    table.allow(*ROLES)
    found: dict[Role, Framing] = {}
    for role in ROLES:
        table.need(role)
        found[role] = _framing(table.table(role), defaults, transactions, (role,))
    return found


def _framing(table: Table, defaults: Defaults, transactions: Sequence[Transaction], senders: Sequence[Role]) -> Framing:
    kind = table.choice("kind", tuple(_FRAMING_KEYS))
    table.allow("kind", *_FRAMING_KEYS[kind])
    if kind in ("length", "mark"):
        return _length_framing(table, defaults, _mark(table, defaults) if kind == "mark" else b"")
    if kind == "delimiter":
        return DelimiterFraming(_mark(table, defaults), table.flag("keep"))
    if kind == "close":
        return CloseFraming()
    mine = [each for each in transactions if any(each.sent_by(role) for role in senders)]
    if kind == "fixed" and "length" in table:
        size = table.number("length", 1, MAX_PACKET)
        for each in mine:
            if each.layout.fixed not in (None, size):
                raise table.fault("length", f"each packet has {size} bytes, but {each.name!r} {each.layout.fixed}")
        return FixedFraming(size)
    for each in mine:
        if kind == "fixed" and each.layout.fixed is None:
            raise table.fault(
                "kind", f"{each.name!r} has no fixed length", 'kind = "transactions" allows lengths from fields'
            )
        if any(piece.field is not None and piece.field.length is Size.REST for piece in each.layout.middle):
            raise table.fault("kind", f"nothing says where {each.name!r} ends: a field takes the rest")
    return TransactionFraming()


def _mark(table: Table, defaults: Defaults) -> bytes:
    if ("value" in table) == ("text" in table):
        raise table.fault("", f"{table.name} needs one of value (hexadecimal digits) and text")
    if "value" in table:
        mark = table.hex("value", 64)
    else:
        mark = table.text("text").encode(codec(table, defaults.ccsid), "replace")
    if not 1 <= len(mark) <= 64:
        table.wrong("value" if "value" in table else "text", "a mark of 1 to 64 bytes")
    return mark


def _length_framing(table: Table, defaults: Defaults, mark: bytes) -> LengthFraming:
    encoding = table.choice("encoding", ("binary", "digits", "base128"), "binary")
    most = {"binary": 8, "digits": 20, "base128": 10}[encoding]
    width = table.number("width", 1, most, 4)
    counts = table.content.get("counts", "all")
    if counts not in ("all", "rest") and not isinstance(counts, dict):
        table.wrong("counts", '"all", "rest" (what follows the length) or { from = offset }')
    start: int | None = 0
    if counts == "rest":
        start = None
    elif isinstance(counts, dict):
        start = table.table("counts").allow("from").number("from", 0, MAX_PACKET)
    order = order_of(table, "little" if encoding == "base128" else defaults.order)
    return LengthFraming(
        table.number("position", 0, 1 << 16), width, order,
        "digits" if encoding == "digits" else "base128" if encoding == "base128" else "binary",
        table.number("unit", 1, 1 << 20, 1), start, table.number("add", -MAX_PACKET, MAX_PACKET, 0),
        mark, codec(table, defaults.ccsid),
    )  # fmt: skip
