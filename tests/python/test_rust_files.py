"""The files of each crate depend on each other in one direction."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rust_files import Crate

if TYPE_CHECKING:
    from rust_files import Module

CRATES = Path(__file__).parents[2] / "crates"


ROOMS = {
    "study": [
        "base",
        "variant",
        "document",
        "numbers",
        "subject",
        "comparison",
        "limits",
        "links",
    ],
    "wifi": ["node", "phy", "interference", "places", "rate", "mac", "scheme", "cell"],
}
"""The rooms (modules of `lib.rs`) of a crate from the ground up: each uses those before it only."""


def upward(crate: Crate, rooms: list[str]) -> list[str]:
    """Describe each use of a room that is not below its user, and each room without a place."""
    level = {room: number for number, room in enumerate(rooms)}
    found = sorted({module[0] for module in crate.files if module})
    faults = [f"{room} has no place in the order" for room in found if room not in level]
    for user, uses in crate.uses().items():
        for used, path in uses.items():
            if not user or (used and user[0] == used[0]):
                continue
            if not used or level.get(used[0], -1) > level.get(user[0], -1):
                faults.append(f"{crate.files[user]} uses {crate.files[used]} ({path})")
    return faults


def circle(crate: Crate) -> list[str]:
    """Describe a cycle among a crate's files, a line for each use; empty if there is none."""
    edges = crate.uses()
    try:
        TopologicalSorter({module: set(used) for module, used in edges.items()}).prepare()
    except CycleError as error:
        # The sorter returns a cycle backwards: each module is used by the next.
        found: list[Module] = error.args[1]
        return [
            f"{crate.files[user]} uses {crate.files[used]} ({edges[user][used]})"
            for used, user in pairwise(found)
        ]
    return []


@pytest.mark.parametrize("name", sorted(path.name for path in CRATES.iterdir() if path.is_dir()))
def test_no_circle(name: str) -> None:
    assert not circle(Crate(CRATES / name))


@pytest.mark.parametrize("name", sorted(ROOMS))
def test_rooms_use_those_below_them(name: str) -> None:
    assert not upward(Crate(CRATES / name), ROOMS[name])


@pytest.mark.parametrize(
    "main", sorted(CRATES.glob("*/tests/*/main.rs")), ids=lambda main: main.parent.name
)
def test_every_file_of_a_test_program_is_part_of_it(main: Path) -> None:
    others = {path.stem for path in main.parent.glob("*.rs")} - {"main"}
    declared = set(re.findall(r"^mod (\w+);$", main.read_text("utf-8"), re.MULTILINE)) - {"common"}
    assert others == declared


def _crate(folder: Path, **files: str) -> Crate:
    for name, text in files.items():
        path = folder / "src" / f"{name.replace('__', '/')}.rs"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Crate(folder)


def test_a_circle_is_found_through_re_exports(tmp_path: Path) -> None:
    crate = _crate(
        tmp_path,
        lib="mod a;\nmod b;\npub use a::A;\npub use b::B;\n",
        a="use crate::B;\npub struct A(B);\n",
        b="pub struct B;\nimpl B { fn a() -> super::A { todo!() } }\n",
    )
    assert len(circle(crate)) == 2


def test_a_circle_is_found_below_a_module_that_re_exports(tmp_path: Path) -> None:
    crate = _crate(
        tmp_path,
        lib="mod a;\n",
        a="mod b;\nmod c;\npub use b::B;\npub use c::C;\n",
        a__b="use super::C;\npub struct B(C);\n",
        a__c="pub struct C;\nimpl C { fn of(_: super::B) {} }\n",
    )
    assert len(circle(crate)) == 2


def test_a_parent_that_uses_its_child_and_back_is_a_circle(tmp_path: Path) -> None:
    crate = _crate(
        tmp_path,
        lib="mod a;\n",
        a="mod part;\nuse part::Part;\npub struct Whole(Part);\n",
        a__part="pub struct Part;\nimpl Part { fn of(_: &super::Whole) {} }\n",
    )
    assert len(circle(crate)) == 2


def test_re_exports_comments_and_tests_are_no_use(tmp_path: Path) -> None:
    crate = _crate(
        tmp_path,
        lib="mod a;\npub use a::{A, Other as B};\n",
        a="// crate::B\npub struct A;\npub struct Other;\n"
        '#[cfg(test)]\nmod tests {\n    const S: &str = "crate::A";\n    use crate::A;\n}\n',
    )
    assert not circle(crate)


def test_a_use_of_a_room_above_is_found(tmp_path: Path) -> None:
    crate = _crate(
        tmp_path,
        lib="pub mod a;\npub mod b;\npub mod c;\n",
        a="mod part;\n",
        a__part="use crate::b::B;\nstruct A(B);\n",
        b="pub struct B;\n",
        c="",
    )
    above, nowhere = upward(crate, ["a", "b"]), upward(crate, ["b", "a"])
    assert [fault.split()[0] for fault in nowhere] == ["c"]
    assert len(above) == 2
    assert "crate::b::B" in above[1]
    assert not upward(crate, ["b", "a", "c"])
