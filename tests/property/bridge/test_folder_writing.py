"""What is written as a folder of an MQRFH2 reads the same."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.rfh2 import FolderError, FolderValue, read_folder, write_folder

NAMES = st.from_regex(r"[A-Za-z_][\w$-]{0,12}", fullmatch=True)
VALUES = st.one_of(
    st.builds(FolderValue, NAMES, st.just("string"), st.text(max_size=20)),
    st.builds(FolderValue, NAMES, st.just("i8"), st.integers(-(2**63), 2**63 - 1)),
    st.builds(FolderValue, NAMES, st.just("boolean"), st.booleans()),
    st.builds(FolderValue, NAMES, st.just("r8"), st.floats(allow_nan=False)),
    st.builds(FolderValue, NAMES, st.just("i4"), st.none()),
)


@pytest.mark.spec("jms-mapping.md 4.3")
@pytest.mark.spec("jms-mapping.md 4.5")
@given(NAMES, st.lists(VALUES, max_size=5))
def test_a_folder_reads_as_it_was_written(name: str, values: list[FolderValue]) -> None:
    folder = read_folder(write_folder(name, values) + "  \0")
    assert folder.name == name
    assert folder.values == values


@pytest.mark.spec("jms-mapping.md 4.4")
def test_numbers_that_are_none_have_java_s_names() -> None:
    values = [FolderValue("n", "r8", value) for value in (math.nan, math.inf, -math.inf)]
    text = write_folder("usr", values)
    assert text == "<usr><n dt='r8'>NaN</n><n dt='r8'>Infinity</n><n dt='r8'>-Infinity</n></usr>"


@pytest.mark.parametrize("name", ["", "a b", "a.b", "a<b", "a'b", "a&b", "a/b"])
def test_a_name_that_no_element_can_have_is_refused(name: str) -> None:
    with pytest.raises(FolderError):
        write_folder("usr", [FolderValue(name, "string", "x")])
    with pytest.raises(FolderError):
        write_folder(name, [])
