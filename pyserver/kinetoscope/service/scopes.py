"""What functions, loops and `with` blocks cost, each thing counted once.

Every cost of a report belongs to one call stack of user lines. A scope's time is the sum over the stacks that pass through it, so what it
called is in it, and neither recursion nor a scope inside another counts anything twice. A frame passes through

* a function, if it runs that function's own code: a closure that is called later is not its maker's time;
* a loop or `with` block, if it runs its function's code at a line of the block.

Bytes are not known by stack: a scope's bytes are those that its own lines allocated.
"""

from __future__ import annotations

import ast
from typing import Literal

from msgspec import Struct

from kinetoscope.analysis.tables import LineReport, LineStack, Precision, StackFrame

ScopeKind = Literal["function", "loop", "with"]

_BLOCKS: dict[type[ast.AST], ScopeKind] = {
    ast.FunctionDef: "function",
    ast.AsyncFunctionDef: "function",
    ast.For: "loop",
    ast.AsyncFor: "loop",
    ast.While: "loop",
    ast.With: "with",
    ast.AsyncWith: "with",
}

WORST_LAST: tuple[Precision, ...] = ("line", "call", "inferred", "function")


class ScopeCost(Struct, frozen=True):
    """A scope of the profiled text and its cost over the recording, with what it called. `line` is that of the keyword, `first..last` its
    lines with decorators. Times in µs; `gpu_us` forward, `alloc_bytes` of its own lines by all devices."""

    kind: ScopeKind
    name: str
    line: int
    first: int
    last: int
    cpu_us: float
    gpu_us: float
    gpu_backward_us: float
    alloc_bytes: int
    precision: Precision


class _Scope:
    """A scope while it is summed up. `owner` is the function whose code the block is, None for the module."""

    def __init__(self, kind: ScopeKind, name: str, node: ast.stmt, first: int, owner: _Scope | None) -> None:
        self.kind: ScopeKind = kind
        self.name = name
        self.line = node.lineno
        self.first = first
        self.last = node.end_lineno or node.lineno
        self.owner = owner
        self.cpu_us = self.gpu_us = self.gpu_backward_us = 0.0
        self.alloc_bytes = 0
        self.precision = 0

    def cost(self) -> ScopeCost:
        return ScopeCost(
            self.kind,
            self.name,
            self.line,
            self.first,
            self.last,
            self.cpu_us,
            self.gpu_us,
            self.gpu_backward_us,
            self.alloc_bytes,
            WORST_LAST[self.precision],
        )


class FileScopes:
    """The scopes of one file, found by line and function name. None where the text is no Python that this one can read."""

    def __init__(self, text: str) -> None:
        self.all: list[_Scope] = []
        self._by_line: dict[int, list[_Scope]] = {}
        self._found: dict[tuple[int, str], list[_Scope]] = {}
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return  # Written for a newer Python, or no Python at all: the file has lines, but no scopes.
        self._collect(tree)
        for scope in self.all:
            for line in range(scope.first, scope.last + 1):
                self._by_line.setdefault(line, []).append(scope)

    def _collect(self, tree: ast.Module) -> None:
        pending: list[tuple[ast.AST, _Scope | None]] = [(tree, None)]
        while pending:
            node, owner = pending.pop()
            kind = _BLOCKS.get(type(node))
            if kind is not None and isinstance(node, ast.stmt):
                decorators: list[ast.expr] = getattr(node, "decorator_list", [])
                first = min([node.lineno, *(each.lineno for each in decorators)])
                scope = _Scope(kind, getattr(node, "name", ""), node, first, owner)
                self.all.append(scope)
                if kind == "function":
                    owner = scope
            elif isinstance(node, ast.expr):
                continue  # No scope of ours lies inside an expression.
            pending += [(child, owner) for child in ast.iter_child_nodes(node)]
        self.all.sort(key=lambda scope: (scope.first, -scope.last))

    def function_at(self, line: int, function: str) -> _Scope | None:
        """The innermost function of that name (qualified or not) around a line."""
        name = _plain(function)
        return next((scope for scope in reversed(self._by_line.get(line, [])) if scope.kind == "function" and scope.name == name), None)

    def may_run(self, line: int, function: str) -> bool:
        """Whether code of `function` can stand on a line: of a module outside of functions, of lambdas and comprehensions anywhere."""
        if function == "<module>":
            # Decorators and defaults are the module's, but stand inside the function's lines.
            return not any(scope.kind == "function" and scope.line < line for scope in self._by_line.get(line, []))
        return _plain(function).startswith("<") or self.function_at(line, function) is not None

    def defined(self, function: str) -> int:
        """How many functions of that name (qualified or not) there are."""
        name = _plain(function)
        return sum(scope.kind == "function" and scope.name == name for scope in self.all)

    def at(self, line: int, function: str) -> list[_Scope]:
        """The scopes through which a frame of `function` (qualified or not) at `line` passes."""
        key = (line, function)
        found = self._found.get(key)
        if found is None:
            here = self._by_line.get(line, [])
            # Innermost last, as sorted. A lambda or comprehension is none of them: the frame below it decides.
            owner = self.function_at(line, function)
            if owner is None and _plain(function) != "<module>":
                found = []
            else:
                found = [scope for scope in here if scope is owner or (scope.kind != "function" and scope.owner is owner)]
            self._found[key] = found
        return found


def _plain(function: str) -> str:
    return function.rpartition(".")[2]


def scope_costs(report: LineReport, texts: dict[str, str | None]) -> dict[str, list[ScopeCost]]:
    """Scopes that cost anything, by file, in the order of their lines. `texts` are the profiled sources."""
    files = {path: FileScopes(text) for path, text in texts.items() if text is not None}
    for row, detail in zip(report.rows, report.details, strict=True):
        stacks = [*detail.stacks, *_rest(_known(detail.stacks), row.cpu_self_us, row.gpu_us, row.gpu_backward_us)]
        own = StackFrame(file=row.file, line=row.line, function=row.function, precision=row.precision)
        for stack in stacks:
            _add(files, stack, own)
        allocated = sum(row.alloc_bytes.values())
        if allocated and row.file in files:
            for scope in files[row.file].at(row.line, row.function):
                scope.alloc_bytes += allocated
    return {
        path: [scope.cost() for scope in scopes.all if scope.cpu_us or scope.gpu_us or scope.gpu_backward_us or scope.alloc_bytes]
        for path, scopes in files.items()
    }


def _known(stacks: list[LineStack]) -> tuple[float, float, float]:
    """Sums over stacks: `(cpu_self_us, gpu_us, gpu_backward_us)`."""
    return sum(s.cpu_self_us for s in stacks), sum(s.gpu_us for s in stacks), sum(s.gpu_backward_us for s in stacks)


def _rest(known: tuple[float, float, float], cpu_us: float, gpu_us: float, gpu_backward_us: float) -> list[LineStack]:
    """What a line cost beyond its listed stacks, as a stack of the line alone: a report may list only the dearest."""
    rest = LineStack(
        frames=[],
        calls=0,
        cpu_self_us=max(0.0, cpu_us - known[0]),
        cpu_backward_us=0.0,
        gpu_us=max(0.0, gpu_us - known[1]),
        gpu_backward_us=max(0.0, gpu_backward_us - known[2]),
    )
    return [rest] if rest.cpu_self_us or rest.gpu_us or rest.gpu_backward_us else []


def _add(files: dict[str, FileScopes], stack: LineStack, own: StackFrame) -> None:
    passed: dict[int, _Scope] = {}
    worst = 0
    for frame in stack.frames or [own]:
        worst = max(worst, WORST_LAST.index(frame.precision))
        scopes = files.get(frame.file)
        if scopes is not None:
            for scope in scopes.at(frame.line, frame.function):
                passed[id(scope)] = scope
    for scope in passed.values():
        scope.cpu_us += stack.cpu_self_us
        scope.gpu_us += stack.gpu_us
        scope.gpu_backward_us += stack.gpu_backward_us
        scope.precision = max(scope.precision, worst)
