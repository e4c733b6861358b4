"""docs/report.md is the contract of `report --json`: it names every field of every view."""

from __future__ import annotations

import re
import typing
from pathlib import Path

import msgspec
import pytest

from kinetoscope.advice.finding import Advice
from kinetoscope.analysis.compare import Comparison
from kinetoscope.analysis.distributed import DistributedView
from kinetoscope.analysis.idle_view import Idle
from kinetoscope.analysis.kernels import Kernels
from kinetoscope.analysis.memory import MemoryReport
from kinetoscope.analysis.modules import ModuleReport
from kinetoscope.analysis.operators import Operators
from kinetoscope.analysis.overview import Overview
from kinetoscope.analysis.stacks import StackTree
from kinetoscope.analysis.sync import Sync
from kinetoscope.service.views import VIEWS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "report.md").read_text(encoding="utf-8")
HEAD, *SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
OF_VIEW: dict[str, type[msgspec.Struct]] = {
    "overview": Overview,
    "operators": Operators,
    "kernels": Kernels,
    "modules": ModuleReport,
    "stacks": StackTree,
    "memory": MemoryReport,
    "idle": Idle,
    "sync": Sync,
    "distributed": DistributedView,
    "advice": Advice,
    "`kinetoscope diff": Comparison,
}


def fields(struct: type[msgspec.Struct]) -> set[str]:
    """Those of a struct and of all that it is made of."""
    found: set[str] = set()
    for name, hint in typing.get_type_hints(struct).items():
        found.add(name)
        for part in [hint, *typing.get_args(hint)]:
            if isinstance(part, type) and issubclass(part, msgspec.Struct):
                found |= fields(part)
    return found


@pytest.mark.parametrize("title", OF_VIEW)
def test_every_field_is_described(title: str) -> None:
    [section] = [section for section in SECTIONS if section.startswith(title)]
    said = set(re.findall(r"`(\w+)`", section + HEAD))
    assert fields(OF_VIEW[title]) - said == set()


def test_every_view_has_its_section() -> None:
    titles = " ".join(section.splitlines()[0] for section in SECTIONS)
    assert [name for name, view in VIEWS.items() if view.tables and name not in titles] == []
