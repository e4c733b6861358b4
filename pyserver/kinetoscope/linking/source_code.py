"""The functions of a source text, as Python frames name them: by code name and first line.

A frame's first line is that of the first decorator, else of `def`, `lambda`, `class` or the comprehension itself. A frame that was
already open when the recording began, and a generator that goes on, bear a line inside the function instead.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from dataclasses import dataclass
from typing import TypeAlias, cast

_NAMELESS: dict[type[ast.expr], str] = {
    ast.Lambda: "<lambda>",
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}
_Code: TypeAlias = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
)
_CODE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, *_NAMELESS)
_BUILT_IN = frozenset(dir(builtins))
MODULE = "<module>"


@dataclass(frozen=True)
class Function:
    """A code object of a source: its name (unqualified), lines (`body`: of the first statement), and syntax. `resumes`: generators and
    coroutines, left and entered again."""

    name: str
    first: int
    body: int
    last: int
    node: ast.AST
    resumes: bool


class ModuleNames:
    """What the names of a source stand for, as far as it says so itself."""

    def __init__(self, imported: set[str], classes: set[str], functions: set[str], generators: set[str]) -> None:
        self._imported = imported
        self._classes = classes
        self._functions = functions
        self._generators = generators

    def is_imported(self, name: str) -> bool:
        """True for names that an `import` binds."""
        return name in self._imported

    def is_known(self, called: ast.expr) -> bool:
        """True where what is called is a function of this module, of Python itself or something imported, not a variable."""
        if isinstance(called, ast.Name):
            return called.id in self._imported or called.id in self._functions or called.id in _BUILT_IN
        while isinstance(called, ast.Attribute):
            called = called.value
        return isinstance(called, ast.Name) and called.id in self._imported

    def is_class(self, name: str) -> bool:
        """True for classes of this source, and for names written as classes are."""
        return name in self._classes or name.lstrip("_")[:1].isupper()

    def is_generator(self, name: str) -> bool:
        """True for generator functions and methods of this source: calling one runs nothing yet."""
        return name in self._generators


class SourceCode:
    """The functions of one text, and its names."""

    def __init__(self, text: str) -> None:
        """Raises `ValueError` for a text that is no Python of this interpreter."""
        try:
            tree = ast.parse(text)
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise ValueError(str(error)) from error
        self._named: dict[str, list[Function]] = defaultdict(list)
        self._named[MODULE].append(Function(MODULE, 1, 1, len(text), tree, resumes=False))
        found = _Walk(tree)
        for node, resumes in found.functions:
            function = _function(node, resumes)
            self._named[function.name].append(function)
        generators = {
            node.name
            for node, resumes in found.functions
            if resumes and isinstance(node, ast.FunctionDef) and not node.decorator_list  # a decorator makes a context manager of it, say
        }
        of_module = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
        self.names = ModuleNames(found.imported, found.classes, of_module, generators)

    def at(self, name: str, line: int) -> Function | None:
        """The function that a frame of this name and line runs; None where there is none, or several (two lambdas on a line)."""
        found = self._candidates(name, line)
        return found[0] if len(found) == 1 else None

    def is_one_line(self, name: str, line: int) -> bool:
        """Whether all functions that a frame of this name and line may run stand on that line alone."""
        found = self._candidates(name, line)
        return bool(found) and all(function.first == function.last == line for function in found)

    def has(self, name: str, line: int) -> bool:
        """Whether a frame of this name and line is possible in this text."""
        return bool(self._candidates(name, line))

    def _candidates(self, name: str, line: int) -> list[Function]:
        """Those of this name with this first line, else the innermost that holds the line, if it may go on there."""
        named = self._named.get(name, [])
        if name == MODULE:
            return named
        exact = [function for function in named if function.first == line]
        around = self.around(name, line)
        return exact or ([around] if around is not None and around.resumes else [])

    def around(self, name: str, line: int) -> Function | None:
        """The innermost function of this name that holds the line."""
        holding = [function for function in self._named.get(name, []) if function.first <= line <= function.last]
        return max(holding, key=lambda function: function.first, default=None)


class _Walk:
    """One walk through a syntax tree: its functions (and whether each yields), and the names of imports and classes."""

    def __init__(self, tree: ast.Module) -> None:
        self.imported: set[str] = set()
        nodes: list[_Code] = []
        yields: list[bool] = []
        pending: list[tuple[ast.AST, int]] = [(tree, -1)]
        while pending:
            node, inside = pending.pop()
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imported |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            elif isinstance(node, (ast.Yield, ast.YieldFrom)) and inside >= 0:
                yields[inside] = True
            elif isinstance(node, _CODE):
                inside = len(nodes)
                nodes.append(cast("_Code", node))
                yields.append(isinstance(node, (ast.AsyncFunctionDef, ast.GeneratorExp)))
            for name in node._fields:
                child = getattr(node, name, None)
                if isinstance(child, list):
                    pending += [(each, inside) for each in child if isinstance(each, ast.AST)]
                elif isinstance(child, ast.AST):
                    pending.append((child, inside))
        self.functions = [*zip(nodes, yields, strict=True)]
        self.classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}


def _function(node: _Code, resumes: bool) -> Function:
    last = node.end_lineno or node.lineno
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        return Function(node.name, first, node.body[0].lineno, last, node, resumes)
    return Function(_NAMELESS[type(node)], node.lineno, node.lineno, last, node, resumes)
