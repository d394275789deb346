"""Answers in plain and framed mode."""

from __future__ import annotations

import pytest

from mqbridge.protocol.myopenq import MAX_PAYLOAD, SUCCESS, Answer, AnswerReader, Code, MoqError


def framed(data: bytes) -> Answer | None:
    reader = AnswerReader(framed=True)
    reader.receive(data)
    return reader.next_answer()


def plain(data: bytes) -> Answer | None:
    reader = AnswerReader(framed=False)
    reader.receive(data)
    return reader.ended()


@pytest.mark.spec("M-031", "M-032", "M-033", "M-034", "M-035")
def test_plain_answers_are_text() -> None:
    assert SUCCESS.plain() == b"SUCCESS"
    assert Answer(0, b"two\napples").plain() == b"two\napples"
    assert Answer.refusal(MoqError(Code.NOT_FOUND)).plain() == b"MOQ-1007 message not found"
    assert plain(b"MOQ-1007 message not found\r\n") == Answer(1007, b"message not found")
    assert plain(b"two\napples") == Answer(0, b"two\napples")
    assert plain(b"") is None


@pytest.mark.spec("M-036", "M-037")
def test_framed_answers_have_status_and_length() -> None:
    assert Answer(0, b"hola").framed() == b"SUCCESS   00004hola"
    assert Answer.refusal(MoqError(Code.QUEUE_FULL)).framed() == b"MOQ-3002  00010queue full"
    assert framed(b"SUCCESS   00008MOQ-1007") == Answer(0, b"MOQ-1007")
    assert framed(b"SUCCESS   00008MOQ-100") is None
    assert plain(b"MOQ-1007") == Answer(1007, b"")


@pytest.mark.parametrize("data", [b"SUCCESS   0x004hola", b"success   00004", b"MOQ-0000  00000", b"MOQ-12    00000"])
def test_what_is_no_answer_is_malformed(data: bytes) -> None:
    with pytest.raises(MoqError) as caught:
        framed(data)
    assert caught.value.code is Code.MALFORMED


def test_answers_have_a_longest_length() -> None:
    assert framed(Answer(0, b"x" * MAX_PAYLOAD).framed()) == Answer(0, b"x" * MAX_PAYLOAD)
    with pytest.raises(ValueError, match="digits hold it"):
        Answer(0, b"x" * (MAX_PAYLOAD + 1)).framed()
    with pytest.raises(MoqError):
        plain(b"x" * (MAX_PAYLOAD + 1))
    short = AnswerReader(framed=True, most=3)
    short.receive(b"SUCCESS   00004")
    with pytest.raises(MoqError, match="3 are allowed"):
        short.next_answer()


def test_a_refusal_raises_and_keeps_a_code_that_is_not_known() -> None:
    assert Answer(0, b"7").check() == b"7"
    with pytest.raises(MoqError, match="MOQ-1234 odd") as caught:
        Answer(1234, b"odd").check()
    assert caught.value.code == 1234


@pytest.mark.spec("M-040", "M-041", "M-042", "M-043", "M-044", "M-045", "M-046", "M-047", "M-048", "M-049")
def test_every_code_has_its_phrase() -> None:
    assert {each: each.text for each in Code}[Code.NOT_PERMITTED] == "MOQ-4001 no permission"
    assert sorted(int(each) for each in Code) == [
        1001, 1002, 1003, 1004, 1005, 1006, 1007, 2001, 2002, 2003, 3001, 3002, 4001, 4002, 9001,
    ]  # fmt: skip
