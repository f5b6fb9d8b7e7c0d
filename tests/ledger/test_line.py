"""The line has one spelling, and the tree over lines is the published one."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import Damaged, LedgerError, Refused
from ledger.line import EMPTY_ROOT, Tree
from ledger.settings import INTEGER_MAX, LINE_BYTES_MAX, LINE_DEPTH_MAX
from tests.ledger.notebook import CAMPAIGN, REGISTRY, Noted

DATA = Path(__file__).parent / "data"

PUBLISHED = [
    ("", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    ("00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
    ("10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
    ("2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
    ("3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
    ("40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
    ("5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
    ("606162636465666768696a6b6c6d6e6f", "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
]
"""The eight entries that implementations of RFC 6962 are tested with, and the root after each."""


def tree_of(lines: list[bytes]) -> Tree:
    tree = Tree()
    for line in lines:
        tree.push(line)
    return tree


def root_by_definition(lines: list[bytes]) -> bytes:
    """Return the root as RFC 6962, 2.1 defines it: split at the largest power of two below the number of entries."""
    if not lines:
        return hashlib.sha256().digest()
    if len(lines) == 1:
        return hashlib.sha256(b"\0" + lines[0]).digest()
    split = 1 << (len(lines) - 1).bit_length() - 1
    left, right = root_by_definition(lines[:split]), root_by_definition(lines[split:])
    return hashlib.sha256(b"\1" + left + right).digest()


def test_the_tree_comes_to_the_eight_published_roots() -> None:
    tree = Tree()
    for entry, root in PUBLISHED:
        tree.push(bytes.fromhex(entry))
        assert tree.root().hex() == root


def test_a_tree_over_nothing_has_the_digest_of_nothing() -> None:
    assert Tree().root() == EMPTY_ROOT == root_by_definition([])
    assert Tree().peaks == b""


def test_the_sample_log_links_each_line_to_the_root_of_those_before() -> None:
    header, *lines = (DATA / "sample.clx").read_bytes().splitlines()
    expected = json.loads((DATA / "vectors.json").read_bytes())["log"]
    tree = Tree()
    for line, leaf in zip(lines, expected["leafs"], strict=True):
        assert json.loads(line)["prev"] == tree.root().hex()
        assert tree_of([line]).root().hex() == leaf
        tree.push(line)
    assert (tree.size, tree.root().hex()) == (expected["size"], expected["root"])
    assert json.loads(header)["root"] == expected["root"]


@given(st.lists(st.binary(max_size=40), max_size=70))
def test_a_tree_of_any_size_is_the_one_of_the_definition(lines: list[bytes]) -> None:
    assert tree_of(lines).root() == root_by_definition(lines)


def test_a_tree_goes_on_from_its_size_and_its_peaks() -> None:
    lines = [bytes([number]) for number in range(70)]
    for stop in range(len(lines)):
        tree = tree_of(lines[:stop])
        resumed = Tree(tree.size, tree.peaks)
        for line in lines[stop:]:
            resumed.push(line)
        assert (resumed.size, resumed.root()) == (len(lines), root_by_definition(lines))


@pytest.mark.parametrize(
    ("size", "peaks"), [(1, b""), (0, b"x" * 32), (3, b"x" * 32), (4, b"x" * 64), (1, b"x" * 31), (2, b"x" * 33)]
)
def test_peaks_that_belong_to_another_size_make_no_tree(size: int, peaks: bytes) -> None:
    with pytest.raises(ValueError, match="peaks"):
        Tree(size, peaks)


def event(data: str = '{"t":"note.added","text":"a"}', **changed: str) -> bytes:
    """Return the line of an event, with parts of it spelled otherwise."""
    fields = {
        "data": data,
        "entry": "1",
        "id": f'"{"a" * 32}"',
        "prev": f'"{"b" * 64}"',
        "seq": "2",
        "stream": f'"{CAMPAIGN}"',
        "ver": "2",
    }
    return spelled({**fields, **changed})


def first(action: str = '{"t":"note.add"}', **changed: str) -> bytes:
    """Return the first line of an entry, with parts of it spelled otherwise."""
    fields = {
        "action": action,
        "at": '"2026-05-01T18:00:00Z"',
        "by": '"paul"',
        "command": '"c"',
        "data": '{"lines":2,"t":"entry.recorded"}',
        "entry": "1",
        "id": f'"{"a" * 32}"',
        "prev": f'"{"b" * 64}"',
        "seq": "1",
        "stream": f'"{CAMPAIGN}"',
        "ver": "1",
    }
    return spelled({**fields, **changed})


def spelled(fields: dict[str, str]) -> bytes:
    return ("{" + ",".join(f'"{name}":{text}' for name, text in fields.items()) + "}").encode(errors="surrogatepass")


def refused(raw: bytes) -> LedgerError:
    with pytest.raises(LedgerError) as met:
        REGISTRY.strict(raw, 7)
    assert met.value.values["line"] == 7
    return met.value


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "",
        "Éric « le Roux »",
        "👩‍👩‍👧",
        '\\"quoted\\"',
        "a\\\\b",
        "null",
        ":null,",
        "1.5",
        "0e1",
        "9" * 40,
        "[[{{" * 40,
        "=1+1",
    ],
)
def test_any_text_is_taken_in_an_event_and_in_what_was_asked(text: str) -> None:
    line = REGISTRY.strict(event(f'{{"t":"note.added","text":"{text}"}}'), 7)
    assert line.data == Noted(json.loads(f'"{text}"'))
    asked = f'{{"because":"{text}","t":"note.add"}}'
    assert bytes(REGISTRY.strict(first(asked), 7).action) == asked.encode()


@pytest.mark.parametrize("number", [0, -1, 7, INTEGER_MAX, -INTEGER_MAX])
def test_a_whole_number_that_every_reader_keeps_is_taken(number: int) -> None:
    assert REGISTRY.strict(event(f'{{"number":{number},"t":"count.made"}}'), 7).data.number == number
    assert bytes(REGISTRY.strict(first(f'{{"n":{number}}}'), 7).action) == f'{{"n":{number}}}'.encode()


NO_NUMBERS = [
    *("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "-0", "1.0", "0.0", "1.5", "1e2", "1E2"),
    *("01", "+1", "0x1", "1_000", "null", "tru", "'1'", ""),
    *(str(INTEGER_MAX + 1), str(-INTEGER_MAX - 1), "9" * 30, "-" + "9" * 30, "1" + "0" * 400),
]


@pytest.mark.parametrize("number", NO_NUMBERS)
def test_what_is_no_plain_whole_number_is_found_in_an_event(number: str) -> None:
    assert refused(event(f'{{"number":{number},"t":"count.made"}}')).code == "IMPORT_NOT_CANONICAL"


@pytest.mark.parametrize("form", ['{"n":%s}', '{"a":{"n":%s},"t":"x"}', '{"a":[1,%s]}', '{"a":[[{"b":%s}]]}', "%s"])
@pytest.mark.parametrize("number", NO_NUMBERS)
def test_what_is_no_plain_whole_number_is_found_anywhere_in_what_was_asked(number: str, form: str) -> None:
    found = refused(first(form % number))
    assert isinstance(found, Damaged)
    assert found.code == "IMPORT_NOT_CANONICAL"


@pytest.mark.parametrize(
    "raw",
    [
        event() + b" ",
        event() + b"\r",
        b" " + event(),
        b"\xef\xbb\xbf" + event(),
        event().replace(b":", b": ", 1),
        event().replace(b",", b", ", 1),
        event('{"t":"note.added","text":"\\u0041"}'),
        event('{"t":"note.added","text":"\\/"}'),
        event('{"t":"note.added","text":"\\u00e9"}'),
        event('{"t":"note.added","text":"\\ud800"}'),
        event('{"t":"note.added","text":"\ud800"}'),
        event('{"t":"note.added","text":"\n"}'),
        event('{"text":"a","t":"note.added"}'),
        event('{"t":"note.added","text":"a","text":"a"}'),
        event('{"t":"note.added","t":"note.added","text":"a"}'),
        event('{"t":"note.added","text":"a","more":"b"}'),
        event('{"t":"note.added","text":1}'),
        event('{"t":"note.added"}'),
        event('{"text":"a"}'),
        event("[]"),
        event("1"),
        event(entry="1.0"),
        event(entry="-0"),
        event(entry="1e0"),
        event(seq='"2"'),
        event(ver="null"),
        event(at='""'),
        event(**{"for": '""'}),
        event().replace(b'"ver":2', b'"ver":2,"ver":2'),
        event().replace(b'"entry":1', b'"entry":2,"entry":1'),
        event()[:-1],
        event()[1:],
        event() + event(),
        event().decode().encode("utf-16"),
        event().replace(b"note", b"n\xffte"),
        b"",
        b"[]",
        b"null",
        b"{}",
        b"\0",
        first('{"b":1,"a":2}'),
        first('{"a":1,"a":1}'),
        first('{"a": 1}'),
        first('{"a":"\\u0041"}'),
        first('{"a":[1,2],"t":"x"}').replace(b"[1,2]", b"[1,2,]"),
        first(data='{"lines":2.0,"t":"entry.recorded"}'),
        first(data='{"lines":null,"t":"entry.recorded"}'),
    ],
)
def test_a_line_that_is_not_in_its_one_spelling_is_found(raw: bytes) -> None:
    found = refused(raw)
    assert isinstance(found, Damaged)
    assert found.code == "IMPORT_NOT_CANONICAL"


@pytest.mark.parametrize(
    "raw",
    [
        event('{"t":"note.burnt","text":"a"}'),
        event('{"t":"os:system","text":"a"}'),
        event('{"t":"ledger.store:Book","text":"a"}'),
        event('{"t":"eventsourcing.domain:Aggregate.Created"}'),
        event('{"t":"","text":"a"}'),
        event(zeal="1"),
        event().replace(b'{"data"', b'{"topic":"os:system","data"'),
    ],
)
def test_what_this_version_does_not_know_is_refused_and_nothing_is_looked_up_by_its_name(raw: bytes) -> None:
    found = refused(raw)
    assert isinstance(found, Refused)
    assert found.code == "IMPORT_UNKNOWN_TYPE"


def test_a_line_may_be_as_long_as_the_bound_and_not_a_byte_longer() -> None:
    room = LINE_BYTES_MAX - len(event('{"t":"note.added","text":""}'))
    assert REGISTRY.strict(event(f'{{"t":"note.added","text":"{"a" * room}"}}'), 7).data.text == "a" * room
    found = refused(event(f'{{"t":"note.added","text":"{"a" * (room + 1)}"}}'))
    assert isinstance(found, Refused)
    assert (found.code, found.values["what"]) == ("IMPORT_TOO_BIG", "line")
    assert (found.values["size"], found.values["most"]) == (LINE_BYTES_MAX + 1, LINE_BYTES_MAX)


@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a":', "}")])
def test_what_was_asked_may_be_as_deep_as_the_bound_and_not_deeper(start: str, end: str) -> None:
    room = LINE_DEPTH_MAX - 1

    def deep(depth: int) -> bytes:
        return first(start * depth + "1" + end * depth)

    assert REGISTRY.strict(deep(room), 7).command == "c"
    found = refused(deep(room + 1))
    assert (found.code, found.values["what"], found.values["size"]) == ("IMPORT_TOO_BIG", "depth", LINE_DEPTH_MAX + 1)
    assert isinstance(found, Refused)


@pytest.mark.parametrize(
    "raw", [b"[" * 100_000, b'{"a":' * 40_000, first("[" * 100_000), event("[" * 100_000 + "]" * 100_000)]
)
def test_a_line_too_deep_to_be_read_is_refused_before_it_is(raw: bytes) -> None:
    assert refused(raw).values["what"] == "depth"


def test_many_brackets_beside_each_other_or_in_a_text_are_not_deep() -> None:
    wide = '{"a":[' + ",".join(["[]"] * 500) + "]}"
    assert bytes(REGISTRY.strict(first(wide), 7).action) == wide.encode()
    named = '{"a":"' + "[{" * 500 + '\\"[["}'
    assert bytes(REGISTRY.strict(first(named), 7).action) == named.encode()


@given(st.integers(0, 10**6), st.binary(min_size=1, max_size=3))
def test_whatever_a_line_is_changed_into_is_refused_or_is_in_its_one_spelling(place: int, damage: bytes) -> None:
    sound = first('{"amount":12,"because":"won","t":"note.add"}')
    start = place % len(sound)
    raw = sound[:start] + damage + sound[start + len(damage) :]
    try:
        line = REGISTRY.strict(raw, 7)
    except LedgerError:
        return
    pieces = json.loads(raw)
    assert json.dumps(pieces, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == raw
    assert (line.seq, line.by) == (pieces["seq"], pieces["by"])
