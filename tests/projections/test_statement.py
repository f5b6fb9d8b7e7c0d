from projections.entries import Reading
from projections.moments import View
from projections.statement import Statement, statement


def of_points(seen: View, force: str) -> Statement:
    """Return the statement of a force's points."""
    return statement(seen.world, seen.recorded(), force, "points", seen.struck)


def test_a_statement_adds_up_what_came_and_what_went(book: Reading) -> None:
    told = of_points(View(book), "ba")
    assert (told.came, told.went, told.balance) == (5 + 10, 12, 5 + 10 - 12)
    assert [step.balance for step in told.steps] == [5, 15, 3]


def test_a_struck_movement_is_in_no_sum(book: Reading) -> None:
    told = of_points(View(book), "sw")
    assert (told.came, told.went, told.balance) == (12 + 3, 0, 12 + 3)
    assert len(told.steps) == 3


def test_before_the_ruling_was_known_it_was(book: Reading) -> None:
    assert of_points(View(book, known_at=16), "sw").came == 12 + 3 + 4


def test_a_statement_ends_where_it_is_asked_to(book: Reading) -> None:
    assert [step.entry for step in of_points(View(book, as_of=10), "ba").steps] == ["#5", "#10"]
