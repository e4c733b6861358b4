"""Holds the direction of imports in pyserver/kinetoscope: each layer knows only the layers below it, and no layer knows of a host.

    python scripts/check_imports.py [FOLDER]      exit 1 and one line for each import that goes the wrong way

trace ← linking ← analysis ← advice, linking ← runs; service gathers them; lsp, web and cli sit on service alone, but that the
command line starts the web host. The recorder stands apart: it runs in the user's interpreter, where there is nothing but the standard
library and torch. The borders in extension/ are rules of eslint.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent / "pyserver" / "kinetoscope"
PACKAGE = "kinetoscope"

BELOW: dict[str, frozenset[str]] = {
    "": frozenset(),
    "recorder": frozenset(),
    "trace": frozenset(),
    "linking": frozenset({"trace"}),
    "analysis": frozenset({"trace", "linking"}),
    "advice": frozenset({"trace", "linking", "analysis"}),
    "runs": frozenset({"trace", "linking"}),
    "service": frozenset({"trace", "linking", "analysis", "advice", "runs"}),
    "lsp": frozenset({"service"}),
    "web": frozenset({"service"}),
    "cli": frozenset({"service", "web"}),
}
"""Layer → the layers that it may import, besides itself. "" is the package's own `__init__`."""

LIBRARIES: dict[str, frozenset[str]] = {
    "recorder": frozenset({"torch"}),
    "trace": frozenset({"numpy", "msgspec", "isal", "backports", "compression"}),
    "linking": frozenset({"numpy", "msgspec"}),
    "analysis": frozenset({"numpy", "msgspec"}),
    "advice": frozenset({"numpy", "msgspec"}),
    "runs": frozenset({"numpy", "msgspec"}),
    "service": frozenset({"numpy", "msgspec"}),
    "lsp": frozenset({"msgspec", "pygls", "lsprotocol"}),
    "web": frozenset({"msgspec", "uvicorn"}),
    "cli": frozenset({"msgspec", "rich"}),
}
"""Layer → what it may import besides the standard library."""


class Import(NamedTuple):
    line: int
    module: str
    """Absolute dotted name."""


class Violation(NamedTuple):
    file: Path
    line: int
    message: str


def imports_of(source: str, package: str) -> Iterator[Import]:
    """Every import in `source`, also inside functions and under `TYPE_CHECKING`; relative names are resolved against `package`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import(node.lineno, name.name)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], *([base] if base else [])])
            # `from kinetoscope import trace` names a layer only in what it takes.
            for module in [f"{base}.{name.name}" for name in node.names] if base == PACKAGE else [base]:
                yield Import(node.lineno, module)


def problem(layer: str, module: str) -> str | None:
    """Why `layer` may not import `module`, or None where it may."""
    top, _, rest = module.partition(".")
    if top == PACKAGE:
        target = rest.partition(".")[0]
        if target == layer or target in BELOW[layer]:
            return None
        # What is no layer is a name in the package's own `__init__`, such as the version. The recorder may not have the package around it.
        if (target == "" or target not in BELOW) and layer != "recorder":
            return None
        allowed = ", ".join(sorted(BELOW[layer])) or "no other layer"
        return f"{layer or PACKAGE} must not import {PACKAGE}.{target}; it may import {allowed}"
    if top in sys.stdlib_module_names or top in LIBRARIES.get(layer, frozenset()):
        return None
    allowed = ", ".join(sorted(LIBRARIES.get(layer, frozenset()))) or "nothing"
    return f"{layer or PACKAGE} must not import {top}; besides the standard library it may import {allowed}"


def violations(root: Path) -> Iterator[Violation]:
    """Imports below the package folder `root` that go the wrong way, and layers that no rule names."""
    for file in sorted(root.rglob("*.py")):
        parts = file.relative_to(root).parts
        # `python -m kinetoscope` is the command line's.
        layer = parts[0] if len(parts) > 1 else "cli" if parts == ("__main__.py",) else ""
        if layer not in BELOW:
            yield Violation(file, 1, f"{layer} is a layer without a rule; add it to scripts/check_imports.py")
            continue
        package = ".".join([PACKAGE, *parts[:-1]])
        for line, module in imports_of(file.read_text(encoding="utf-8"), package):
            message = problem(layer, module)
            if message is not None:
                yield Violation(file, line, message)


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else ROOT
    found = list(violations(root))
    for violation in found:
        print(f"{violation.file}:{violation.line}: {violation.message}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
