"""Kept heads: the end that was cut off and the past that was rewritten, found by whoever saw the log before."""

import json
import shutil
import stat
from pathlib import Path

import pytest

from ledger import kept
from ledger.errors import Damaged, LedgerError, Refused
from ledger.kept import Checkpoint, checkpoint_of, compare, parse, root_at
from ledger.line import EMPTY_ROOT, Tree
from ledger.lines import Head, read
from ledger.settings import state_folder
from tests.ledger.notebook import CAMPAIGN, append, asked, faults, opened, write_notes

VECTORS = json.loads((Path(__file__).parent / "data" / "vectors.json").read_bytes())["log"]
THREE = "".join(f"{line}\n" for line in VECTORS["checkpoint"].split("\n")[:3])
PUBLISHED = Checkpoint(VECTORS["origin"].rsplit("/", 1)[1], VECTORS["size"], bytes.fromhex(VECTORS["root"]))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A book of three notes, whose head this machine keeps."""
    path = write_notes(tmp_path / "campaign.db")
    look(path)
    return path


def look(path: Path) -> None:
    """Do what every command does with a book: compare it with what was seen, and keep what is new."""
    with read(str(path)) as lines:
        kept.check(lines)
        kept.keep(lines)


def refused(path: Path) -> LedgerError:
    with pytest.raises(LedgerError) as met:
        look(path)
    return met.value


def grow(path: Path, *commands: str) -> None:
    with opened(path) as book:
        append(book, *map(asked, commands))


def kept_file() -> Path:
    return state_folder() / "heads" / f"{CAMPAIGN}.txt"


# The text.


def test_a_checkpoint_is_the_three_published_lines() -> None:
    assert PUBLISHED.text == THREE
    assert parse(THREE) == PUBLISHED
    assert parse(VECTORS["checkpoint"]) == PUBLISHED, "signatures may stand behind an empty line"


@pytest.mark.parametrize("text", [THREE, THREE[:-1], f"{THREE}\n", f"{THREE}\n— somebody signed it\n"])
def test_a_checkpoint_is_read_as_people_paste_it(text: str) -> None:
    assert parse(text) == PUBLISHED


def test_a_checkpoint_of_an_empty_log_can_be_posted_as_well() -> None:
    empty = Checkpoint(CAMPAIGN, 0, EMPTY_ROOT)
    assert parse(empty.text) == empty


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "no checkpoint",
        f" {THREE}",
        f"\n{THREE}",
        THREE.replace("\n", "\r\n"),
        THREE.replace("\n", " "),
        f"{THREE}x",
        f"{THREE}— signed without an empty line\n",
        THREE.replace("campaign-ledger/1/", "campaign-ledger/2/"),
        THREE.replace("campaign-ledger", "Campaign-ledger"),
        THREE.replace("0e0f", "0E0F"),
        THREE.replace("0e0f", "0e"),
        THREE.replace("0e0f", "/../x"),
        THREE.replace("\n12\n", "\n012\n"),
        THREE.replace("\n12\n", "\n-12\n"),
        THREE.replace("\n12\n", "\n١٢\n"),
        THREE.replace("\n12\n", "\n12.0\n"),
        THREE.replace("\n12\n", "\n" + "1" * 17 + "\n"),
        THREE.replace("\n12\n", "\n\n"),
        THREE.replace("vs4=", "vs4"),
        THREE.replace("vs4=", "vs5="),
        THREE.replace("rJhA", "rJh-"),
        THREE.replace("rJhA", ""),
        THREE.replace("rJhA", "rJhAAAAA"),
        THREE[:-20],
    ],
)
def test_a_text_that_is_not_a_checkpoint_in_its_one_spelling_is_refused(text: str) -> None:
    with pytest.raises(Refused) as met:
        parse(text)
    assert met.value.code == "CHECKPOINT_MALFORMED"


def test_a_label_is_short_and_the_evidence_is_whole() -> None:
    assert PUBLISHED.label == "ac98403a…f478bece"
    assert PUBLISHED.posted == "12 " + THREE.split("\n")[2]


# The root at a size.


def test_the_root_at_any_size_is_the_trees(path: Path) -> None:
    tree = Tree()
    with read(str(path)) as lines:
        raws = [line for chunk in lines.chunks() for line in chunk]
        for raw in raws:
            assert root_at(lines, tree.size) == tree.root()
            tree.push(raw)
        assert root_at(lines, tree.size) == tree.root()


# What this machine keeps.


def test_the_newest_head_is_kept_for_its_owner_alone(path: Path) -> None:
    with read(str(path)) as lines:
        head = lines.head()
    assert head is not None
    assert kept.newest(CAMPAIGN) == checkpoint_of(head) == Checkpoint(CAMPAIGN, 6, head.root)
    assert kept_file().read_text() == checkpoint_of(head).text
    assert stat.S_IMODE(kept_file().stat().st_mode) == 0o600
    assert stat.S_IMODE(kept_file().parent.stat().st_mode) == 0o700


def test_a_log_that_grew_is_the_same_log_and_its_new_head_is_kept(path: Path) -> None:
    grow(path, "a", "b")
    look(path)
    known = kept.newest(CAMPAIGN)
    assert known is not None
    assert known.size == 10


def test_nothing_is_known_of_a_campaign_never_seen(path: Path) -> None:
    assert kept.newest("f" * 32) is None


def test_a_book_that_holds_nothing_yet_is_compared_with_nothing(tmp_path: Path) -> None:
    from ledger.store import create

    with create(str(tmp_path / "empty.db")) as book:
        kept.check(book)
        kept.keep(book)
    assert not (state_folder() / "heads").exists()


def test_an_older_copy_in_the_books_place_is_found(path: Path) -> None:
    older = shutil.copy(path, path.with_name("older.db"))
    grow(path, "a")
    look(path)
    shutil.copy(older, path)
    found = refused(path)
    assert isinstance(found, Damaged)
    assert (found.code, found.values) == ("TAIL_MISSING", {"known": 8, "size": 6})
    assert faults(path) == [], "the file alone does not show it"
    known = kept.newest(CAMPAIGN)
    assert known is not None
    assert known.size == 8, "what was seen is not forgotten"


@pytest.mark.parametrize("more", [0, 1, 5])
def test_a_past_that_was_written_anew_is_found_however_long_it_is(path: Path, more: int) -> None:
    with read(str(path)) as lines:
        seen = checkpoint_of(head) if (head := lines.head()) else None
    assert seen is not None
    path.unlink()
    write_notes(path, 3 + more)
    assert faults(path) == [], "the file alone does not show it"
    found = refused(path)
    assert isinstance(found, Damaged)
    assert (found.code, found.values["how"], found.values["line"]) == ("HISTORY_FORK", "kept", 6)
    assert found.values["theirs"] == seen.posted
    assert kept.newest(CAMPAIGN) == seen


def test_a_shorter_past_that_was_written_anew_lacks_its_end(path: Path) -> None:
    path.unlink()
    write_notes(path, 1)
    assert refused(path).code == "TAIL_MISSING"


def test_two_books_of_one_campaign_that_went_separate_ways_are_told_apart(path: Path) -> None:
    other = path.with_name("other.db")
    shutil.copy(path, other)
    grow(path, "here")
    look(path)
    grow(other, "there")
    assert refused(other).code == "HISTORY_FORK"


def test_a_log_is_compared_with_a_checkpoint_that_somebody_else_kept(path: Path) -> None:
    with read(str(path)) as lines:
        head = lines.head()
        assert head is not None
        for size in range(7):
            compare(lines, head, Checkpoint(CAMPAIGN, size, root_at(lines, size)))
            with pytest.raises(Damaged) as met:
                compare(lines, head, Checkpoint(CAMPAIGN, size, b"x" * 32))
            assert (met.value.code, met.value.values["line"]) == ("HISTORY_FORK", size)
        with pytest.raises(Damaged) as met:
            compare(lines, head, Checkpoint(CAMPAIGN, 7, head.root))
        assert met.value.code == "TAIL_MISSING"
        with pytest.raises(Refused) as other:
            compare(lines, head, Checkpoint("f" * 32, 6, head.root))
        assert (other.value.code, other.value.values) == ("WRONG_CAMPAIGN", {"theirs": "f" * 32, "ours": CAMPAIGN})


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b"campaign-ledger/1/", THREE.encode()[:40], b"\0" * 99])
def test_what_was_kept_and_can_no_longer_be_read_is_told_and_stays(path: Path, content: bytes) -> None:
    kept_file().write_bytes(content)
    found = refused(path)
    assert isinstance(found, Damaged)
    assert (found.code, found.values["file"]) == ("KEPT_HEAD_DAMAGED", str(kept_file()))
    assert kept_file().read_bytes() == content


def test_a_kept_checkpoint_of_another_campaign_is_not_taken_for_this_ones(path: Path) -> None:
    kept_file().write_text(Checkpoint("f" * 32, 6, b"x" * 32).text)
    assert refused(path).code == "WRONG_CAMPAIGN"


@pytest.mark.parametrize("campaign", ["", "../../me", "0" * 31, "0" * 33, "A" * 32, "0" * 31 + "/", "0" * 32 + "\n"])
def test_what_a_book_says_of_itself_names_no_other_file(campaign: str) -> None:
    with pytest.raises(Damaged) as met:
        kept.newest(campaign)
    assert met.value.code == "CAMPAIGN_MALFORMED"


def test_an_older_look_does_not_replace_a_newer_one(path: Path) -> None:
    """Somebody recorded and kept the new head while this reader looked at the old view."""
    with read(str(path)) as lines:
        lines.head()
        grow(path, "meanwhile")
        look(path)
        kept.keep(lines)
    known = kept.newest(CAMPAIGN)
    assert known is not None
    assert known.size == 8


def test_who_looked_before_somebody_recorded_has_not_lost_the_end(path: Path) -> None:
    with read(str(path)) as lines:
        lines.head()
        grow(path, "meanwhile")
        look(path)
        kept.check(lines)
        head = lines.head()
    assert head is not None
    assert head.size == 8


def test_a_book_is_read_where_nothing_can_be_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = path.with_name("blocked")
    blocked.write_bytes(b"a file where the folder would be")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    look(path)
    assert blocked.read_bytes() == b"a file where the folder would be"


def test_lines_that_cannot_be_read_do_not_hide_that_they_are_others(path: Path) -> None:
    """The line behind the kept size says what its root was; when it does not, all before it are hashed again."""

    class Torn:
        def head(self) -> Head:
            return Head(CAMPAIGN, 2, 1, "", b"", b"")

        def chunks(self, after: int, upto: int) -> list[list[bytes]]:
            return [[b"first", b"\xff not json"][after:upto]]

    tree = Tree()
    tree.push(b"first")
    assert root_at(Torn(), 1) == tree.root()  # type: ignore[arg-type]  # no more of a book is looked at
