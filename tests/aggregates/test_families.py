"""Nothing is forgotten: families, tags, what every event changes, and one hand-written line a tag."""

import ast
import importlib
import pkgutil
import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest

import aggregates
from aggregates.contract import FAMILY_EVENTS_MAX, Family, System
from aggregates.kinds import Action, Event
from aggregates.state import Battle, Campaign, Force, Model, Player, World
from aggregates.world import CORE, SYSTEMS, actions_of, events_of, evolve
from ledger import compiled

GOLDEN = (compiled.root() / "tests" / "golden" / "events.jsonl").read_bytes().splitlines()

KINDS: dict[str, type[Event]] = events_of(())
TAG = re.compile(r"[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*")


def tag_of(line: bytes) -> str:
    return str(msgspec.json.decode(line)["t"])


def defined(kind: type[msgspec.Struct]) -> set[type[msgspec.Struct]]:
    """Return every class of this kind that the modules of the rules define, but for those others are made from."""
    for module in pkgutil.walk_packages(aggregates.__path__, "aggregates."):
        importlib.import_module(module.name)
    found: set[type[msgspec.Struct]] = set()
    left = [kind]
    while left:
        one = left.pop()
        more = [sub for sub in one.__subclasses__() if sub.__module__.startswith("aggregates.")]
        left += more
        if not more:
            found.add(one)
    return found


def families() -> list[Family]:
    """Return the families of the core and of every rule system that is part of the program."""
    systems: list[System] = [importlib.import_module(module).SYSTEM for module in SYSTEMS.values()]
    return [*CORE, *(family for system in systems for family in system.families)]


def complete_world(*, ended: bool = False) -> World:
    """Return a world in which everything exists that the golden events speak of; Ana has left it."""
    world = World()
    world.campaign = Campaign("0" * 32, "Vardia", ended=ended)
    world.players = {"ana": Player("ana", "Ana", "player", left=True), "tom": Player("tom", "Tom", "player")}
    world.forces = {key: Force(key, key, "ana") for key in ("ba", "sw", "old")}
    world.models = {"kit": Model("kit", "Kit", "ba", labels=("bow",))}
    world.battles = {"battle-3": Battle("battle-3", 3, ("ba", "sw", "old"), "scheduled")}
    return world


def test_a_family_has_at_most_fifteen_events() -> None:
    assert FAMILY_EVENTS_MAX == 15
    assert [family for family in families() if len(family.events) > FAMILY_EVENTS_MAX] == []


@pytest.mark.parametrize("kind", [Event, Action])
def test_every_class_of_the_rules_is_in_one_family(kind: type[msgspec.Struct]) -> None:
    owned = Counter(member for family in families() for member in (*family.events, *family.actions))
    assert [one for one, count in owned.items() if count != 1] == []
    assert defined(kind) == {one for one in owned if issubclass(one, kind)}


@pytest.mark.parametrize("kind", [Event, Action])
def test_every_tag_is_its_owners_and_given_once(kind: type[msgspec.Struct]) -> None:
    tags = [str(one.__struct_config__.tag) for one in defined(kind)]
    assert [tag for tag in tags if not TAG.fullmatch(tag)] == []
    assert sorted(tags) == sorted(set(tags))


def test_no_action_has_the_tag_of_an_event() -> None:
    assert set(actions_of(())) & set(events_of(())) == set()


def test_the_core_has_the_tags_that_every_book_may_hold() -> None:
    """A tag that is missing here was renamed or taken away, and books that hold it cannot be read any more."""
    assert set(KINDS) == {
        *(f"campaign.{what}" for what in ("founded", "renamed", "option-set", "content-pinned", "ended", "reopened")),
        *(f"player.{what}" for what in ("joined", "left", "returned", "renamed", "role-changed")),
        *(
            f"battle.{what}"
            for what in ("scheduled", "started", "finished", "fought", "cancelled", "settled", "sat-out")
        ),
        *(f"force.{what}" for what in ("mustered", "transcribed", "renamed", "dissolved")),
        *(f"model.{what}" for what in ("joined", "changed", "died", "renamed")),
        "points.granted",
        "points.spent",
        "note.added",
        "ruling.annulled",
        "ruling.undone",
    }


def test_every_tag_has_one_golden_line() -> None:
    assert Counter(map(tag_of, GOLDEN)) == Counter(KINDS.keys())


@pytest.mark.parametrize("line", GOLDEN, ids=tag_of)
def test_a_golden_line_reads_and_writes_to_the_same_bytes(line: bytes) -> None:
    event = msgspec.json.decode(line, type=KINDS[tag_of(line)])
    assert msgspec.json.Encoder(order="sorted").encode(event) == line


@pytest.mark.parametrize("line", GOLDEN, ids=tag_of)
def test_a_golden_line_states_every_field_of_its_event(line: bytes) -> None:
    """What it leaves out would not be held to its name."""
    fields = set(KINDS[tag_of(line)].__struct_fields__) - {"postings", "rules"}
    assert fields - set(msgspec.json.decode(line)) == set()


@pytest.mark.parametrize("line", GOLDEN, ids=tag_of)
def test_an_event_with_a_field_nobody_knows_is_not_read(line: bytes) -> None:
    more = msgspec.json.encode({**msgspec.json.decode(line), "unknown": 1})
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(more, type=KINDS[tag_of(line)])


@pytest.mark.parametrize("line", GOLDEN, ids=tag_of)
def test_every_event_is_applied_with_its_postings(line: bytes) -> None:
    event = msgspec.json.decode(line, type=KINDS[tag_of(line)])
    world = complete_world()
    evolve(world, event)
    assert world.balances == {posting.account: posting.amount for posting in event.postings}


WITHOUT_EFFECT = {"battle.fought", "battle.sat-out", "model.died", "note.added", "points.granted", "points.spent"}
"""Events that change nothing beside their postings; what rulings change is decided before they are folded."""


@pytest.mark.parametrize("line", GOLDEN, ids=tag_of)
def test_every_event_changes_what_is_true_but_those_that_say_otherwise(line: bytes) -> None:
    tag = tag_of(line)
    world, before = (complete_world(ended=tag == "campaign.reopened") for _ in range(2))
    evolve(world, msgspec.json.decode(line, type=KINDS[tag]))
    world.balances.clear()
    assert (world == before) == (tag in WITHOUT_EFFECT or tag.startswith("ruling."))


@pytest.mark.parametrize("line", GOLDEN, ids=tag_of)
def test_an_event_lies_on_the_stream_of_what_it_happened_to(line: bytes) -> None:
    event = msgspec.json.decode(line, type=KINDS[tag_of(line)])
    told = msgspec.json.decode(line)
    assert event.stream == (f"force:{told['force']}" if "force" in told else "")


@pytest.mark.parametrize(
    "path", [Path(family.evolve.__code__.co_filename) for family in CORE], ids=lambda path: path.stem
)
def test_a_match_over_events_is_closed(path: Path) -> None:
    """A forgotten case must not pass in silence: mypy sees it by `assert_never`."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    (body,) = (node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == "evolve")
    matches = [node for node in ast.walk(body) if isinstance(node, ast.Match)]
    assert [ast.unparse(match.cases[-1].body[-1]) for match in matches] == ["assert_never(event)"] * len(matches)
