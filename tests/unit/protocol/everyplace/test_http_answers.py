"""Answers of HTTP, read from bytes in any pieces, and those that break the rules or the limits."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.http_answers import MAX_ANSWER, MAX_HEADERS, Answer, AnswerReader


def read(*pieces: bytes) -> Answer | None:
    reader = AnswerReader()
    for piece in pieces:
        found = reader.receive(piece)
        if found is not None:
            return found
    return None


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[begin:end] for begin, end in pairwise(places)]


@pytest.mark.spec("E-302", "E-307")
@given(
    st.binary(max_size=2000), st.lists(st.integers(0, 5000), max_size=8), st.sampled_from(["length", "chunks", "end"])
)
def test_a_body_comes_back_however_it_is_sent_and_cut(body: bytes, cuts: list[int], how: str) -> None:
    head = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nMQe-Channel: c1\r\n"
    if how == "length":
        data = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    elif how == "chunks":
        half = len(body) // 2
        chunks = b"".join(b"%x;a=b\r\n%s\r\n" % (len(each), each) for each in (body[:half], body[half:]) if each)
        data = head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\nTrailer: x\r\n\r\n"
    else:
        data = head + b"\r\n" + body
    found = read(*pieces(data, cuts), *([b""] if how == "end" else []))
    assert found is not None
    assert (found.status, found.headers["mqe-channel"], found.body) == (200, "c1", body)
    assert found.keeps == (how != "end")


@pytest.mark.parametrize(
    ("head", "keeps"),
    [
        (b"HTTP/1.0 200 OK\r\n", False),
        (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n", True),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\n", False),
        (b"HTTP/1.1 204\r\n", True),
    ],
)
def test_whether_the_connection_is_kept(head: bytes, keeps: bool) -> None:
    found = read(head + b"Content-Length: 0\r\n\r\n")
    assert found is not None
    assert found.keeps == keeps


@pytest.mark.spec("E-307", "E-479", "E-481")
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"SSH-2.0-OpenSSH\r\n\r\n", Code.DATA),
        (b"HTTP/2 200 OK\r\n\r\n", Code.DATA),
        (b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n", Code.DATA),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", Code.DATA),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", Code.DATA),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", Code.DATA),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", Code.DATA),
        (b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (MAX_ANSWER + 1), Code.TOO_LONG),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", Code.TOO_LONG),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", Code.DATA),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd", Code.DATA),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * MAX_HEADERS, Code.TOO_LONG),
        (b"HTTP/1.1 200 OK\r\n\r\n" + bytes(MAX_ANSWER + 1), Code.TOO_LONG),
    ],
)
def test_answers_that_break_rules_or_limits(data: bytes, code: Code) -> None:
    with pytest.raises(EveryplaceError) as raised:
        read(data)
    assert raised.value.code is code


@pytest.mark.parametrize("data", [b"", b"HTTP/1.1 200", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"])
def test_an_answer_that_is_cut(data: bytes) -> None:
    with pytest.raises(EveryplaceError) as raised:
        read(*([data] if data else []), b"")
    assert raised.value.code is Code.ADAPTER_EXCEPTION
