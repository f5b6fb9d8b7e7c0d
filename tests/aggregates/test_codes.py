"""No refusal without a test: the codes that the rules can raise, and the codes that the tests here expect."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

from aggregates.text import Form
from ledger import compiled

ERRORS = {"Refused", "Misused"}
FORMS = [form.upper() for form in get_args(Form)]


def raised(source: str) -> set[str]:
    """Return every code that a module can raise; `{what}_…` stands for one code of names and one of remarks."""
    module = ast.parse(source)
    return {
        code
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ERRORS
        for code in _codes(call.args[0], function)
    }


def _codes(argument: ast.expr, function: ast.FunctionDef) -> Iterator[str]:
    match argument:
        case ast.Constant(value=str(code)):
            yield code
        case ast.JoinedStr(values=[ast.FormattedValue(value=ast.Name(id="what")), ast.Constant(value=str(end))]):
            yield from (form + end for form in FORMS)
        case ast.IfExp(body=one, orelse=other):
            yield from _codes(one, function)
            yield from _codes(other, function)
        case ast.Name(id=name):
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                    yield from _codes(node.value, function)
        case _:
            raise AssertionError(ast.unparse(argument))


def expected(source: str) -> set[str]:
    """Return every code that a test expects: `.refused("CODE", …)` or `.code == "CODE"`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr="refused"), args=[ast.Constant(value=str(code)), *_]):
                found.add(code)
            case ast.Compare(left=ast.Attribute(attr="code"), comparators=[ast.Constant(value=str(code))]):
                found.add(code)
            case _:
                pass
    return found


def codes_of(folder: Path, read: Callable[[str], set[str]]) -> set[str]:
    return {code for path in folder.rglob("*.py") for code in read(path.read_text(encoding="utf-8"))}


def test_a_test_reaches_every_refusal_of_the_rules() -> None:
    root = compiled.root()
    tests = codes_of(root / "tests" / "aggregates", expected)
    rules = codes_of(root / "aggregates", raised)
    assert len(rules) > 60
    assert sorted(rules - tests) == []


def test_codes_are_found_however_they_are_written() -> None:
    source = """
def check(what):
    code = "FAR" if what else "NEAR"
    raise Refused(code, what=what)
    raise Misused(f"{what}_BENT")
    raise Refused("PLAIN") from None
"""
    assert raised(source) == {"FAR", "NEAR", "NAME_BENT", "TEXT_BENT", "PLAIN"}


def test_expectations_are_found_however_they_are_written() -> None:
    source = """
story.when(x).refused("A", has=1)
outcome.refused(
    "B"
)
assert error.value.code == "C"
other("D")
"""
    assert expected(source) == {"A", "B", "C"}
