"""An export is one header and the stored bytes; what is read of one is read within bounds."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from ledger.archive import Header, export, founding_line, lines_of, read_header
from ledger.errors import Damaged, Misused, Refused
from ledger.line import CANON, Tree
from ledger.lines import read
from ledger.settings import LINE_BYTES_MAX
from ledger.store import create
from tests.ledger.histories import SIZE
from tests.ledger.notebook import (
    CAMPAIGN,
)


def exported(path: Path) -> bytes:
    target = io.BytesIO()
    with read(str(path)) as lines:
        export(lines, target.write)
    return target.getvalue()


def test_an_export_is_a_header_and_the_stored_bytes_and_nothing_else(path: Path, raws: list[bytes]) -> None:
    header, *lines = exported(path).split(b"\n")
    tree = Tree()
    for raw in raws:
        tree.push(raw)
    assert json.loads(header) == {
        "campaign": CAMPAIGN,
        "format": "campaign-ledger",
        "root": tree.root().hex(),
        "size": SIZE,
        "v": 1,
    }
    assert lines == [*raws, b""]


def test_a_book_with_nothing_in_it_has_nothing_to_export(tmp_path: Path) -> None:
    target = io.BytesIO()
    with create(str(tmp_path / "new.db")) as book, pytest.raises(Refused) as met:
        export(book, target.write)
    assert met.value.code == "NO_CAMPAIGN"
    assert target.getvalue() == b""


def header_of(**changed: Any) -> bytes:
    fields = {"campaign": CAMPAIGN, "format": "campaign-ledger", "root": "0" * 64, "size": 2, "v": 1}
    return CANON.encode({**fields, **changed}) + b"\n"


def test_a_header_is_read_as_it_was_written() -> None:
    source = io.BytesIO(header_of() + b"rest")
    assert read_header(source) == Header(CAMPAIGN, "campaign-ledger", "0" * 64, 2, 1)
    assert source.read() == b"rest"


@pytest.mark.parametrize(
    ("raw", "code", "what"),
    [
        (b"", "IMPORT_EMPTY", None),
        (b"\n", "IMPORT_NOT_LEDGER", "-"),
        (b"hello\n", "IMPORT_NOT_LEDGER", "-"),
        (b"\x1f\x8b\x08", "IMPORT_NOT_LEDGER", "gzip"),
        (b"PK\3\4", "IMPORT_NOT_LEDGER", "zip"),
        (b"SQLite format 3\0", "IMPORT_NOT_LEDGER", "SQLite"),
        (b"\x89PNG\r\n\x1a\n", "IMPORT_NOT_LEDGER", "PNG"),
        (header_of().decode().encode("utf-16-le"), "IMPORT_NOT_LEDGER", "-"),
        (header_of().decode().encode("utf-16"), "IMPORT_NOT_LEDGER", "UTF-16"),
        (b"\xfe\xff\0{", "IMPORT_NOT_LEDGER", "UTF-16"),
        (b"\xef\xbb\xbf" + header_of(), "IMPORT_NOT_LEDGER", "UTF-8 BOM"),
        (b"[" * 100_000, "IMPORT_NOT_LEDGER", "-"),
        (b'{"campaign":"' + b"x" * 2 * LINE_BYTES_MAX, "IMPORT_NOT_LEDGER", "-"),
        (header_of(v=2), "IMPORT_NOT_LEDGER", "campaign-ledger 2"),
        (header_of(format="other"), "IMPORT_NOT_LEDGER", "other 1"),
        (header_of(format="x" * 99), "IMPORT_NOT_LEDGER", "x" * 40),
        (header_of(more=1), "IMPORT_NOT_LEDGER", "-"),
        (header_of(size="2"), "IMPORT_NOT_LEDGER", "-"),
        (header_of(size=2.5), "IMPORT_NOT_LEDGER", "-"),
        (header_of().replace(b'"size":2', b'"size":2.0'), "IMPORT_NOT_LEDGER", "-"),
        (header_of().replace(b'"size":2', b'"size":NaN'), "IMPORT_NOT_LEDGER", "-"),
    ],
)
def test_what_is_no_export_is_refused_and_named_for_what_it_is(raw: bytes, code: str, what: str | None) -> None:
    with pytest.raises(Refused) as met:
        read_header(io.BytesIO(raw))
    assert (met.value.code, met.value.values.get("what")) == (code, what)


@pytest.mark.parametrize(
    "raw",
    [
        header_of()[:-1],
        header_of()[:-1] + b" \n",
        header_of()[:-1] + b"\r\n",
        header_of().replace(b":", b": "),
        header_of().replace(b'"size":2', b'"size":1,"size":2'),
        header_of().replace(b"campaign-", b"c\\u0061mpaign-"),
        b'{"v":1,' + header_of()[1:].replace(b',"v":1', b""),
    ],
)
def test_a_header_has_one_spelling(raw: bytes) -> None:
    with pytest.raises(Damaged) as met:
        read_header(io.BytesIO(raw))
    assert met.value.code == "HEADER_MALFORMED"


def test_lines_come_without_their_ends() -> None:
    assert list(lines_of(io.BytesIO(b"a\n\nb\r\n"))) == [b"a", b"", b"b\r"]


def test_a_line_without_its_end_is_a_file_cut_short() -> None:
    with pytest.raises(Damaged) as met:
        list(lines_of(io.BytesIO(b"a\nb")))
    assert (met.value.code, met.value.values) == ("IMPORT_TRUNCATED", {"line": 2})


def test_a_line_too_long_is_never_read_whole() -> None:
    longest = b"a" * LINE_BYTES_MAX
    assert list(lines_of(io.BytesIO(longest + b"\n"))) == [longest]
    for found in list(lines_of(io.BytesIO(longest + b"a\n"))), [next(lines_of(io.BytesIO(longest * 9)))]:
        assert [len(raw) > LINE_BYTES_MAX for raw in found] == [True]
        assert max(map(len, found)) <= LINE_BYTES_MAX + 2


@pytest.mark.parametrize(("limits", "what", "most"), [({"lines_max": 2}, "lines", 2), ({"bytes_max": 5}, "file", 5)])
def test_a_file_has_bounds_and_is_taken_up_to_them(limits: dict[str, int], what: str, most: int) -> None:
    assert list(lines_of(io.BytesIO(b"aa\nb\n"), **limits)) == [b"aa", b"b"]
    with pytest.raises(Refused) as met:
        list(lines_of(io.BytesIO(b"aa\nb\nc\n"), **limits))
    assert (met.value.code, met.value.values["what"], met.value.values["most"]) == ("IMPORT_TOO_BIG", what, most)
    assert met.value.values["line"] == 3


def test_the_founding_is_read_ahead_and_the_file_is_back_at_its_beginning(path: Path, raws: list[bytes]) -> None:
    source = io.BytesIO(exported(path))
    assert founding_line(source) == raws[1] + b"\n"
    assert source.tell() == 0


def test_the_founding_cannot_be_read_ahead_in_a_pipe() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    with pytest.raises(Misused) as met:
        founding_line(Pipe(b"a\nb\nc\n"))
    assert met.value.code == "FILE_NOT_SEEKABLE"


@pytest.mark.parametrize("content", [b"", b"a", b"a\n", b"a\nb"])
def test_a_file_too_short_for_a_founding_has_none(content: bytes) -> None:
    assert founding_line(io.BytesIO(content)) == b""
