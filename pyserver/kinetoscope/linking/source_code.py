"""The functions of a source text, as Python frames name them: by code name and first line.

A frame's first line is that of the first decorator, else of `def`, `lambda`, `class` or the comprehension itself. A frame that was
already open when the recording began, and a generator that goes on, bear a line inside the function instead.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass

_COMPREHENSIONS: dict[type[ast.AST], str] = {
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}
MODULE = "<module>"


@dataclass(frozen=True)
class Function:
    """A code object of a source: its name (unqualified), lines, and syntax. `resumes`: generators and coroutines, left and entered
    again."""

    name: str
    first: int
    last: int
    node: ast.AST
    resumes: bool


class ModuleNames:
    """What the names of a source stand for, as far as it says so itself."""

    def __init__(self, tree: ast.Module) -> None:
        self._imported: set[str] = set()
        self._classes: set[str] = set()
        self._generators: set[str] = set()
        self._functions: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._imported |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ClassDef):
                self._classes.add(node.name)
            elif isinstance(node, ast.FunctionDef) and _yields(node):
                self._generators.add(node.name)
        self._functions |= {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}

    def is_imported(self, name: str) -> bool:
        """True for names that an `import` binds."""
        return name in self._imported

    def is_known(self, called: ast.expr) -> bool:
        """True where what is called is a function of this module or something imported, not a variable."""
        if isinstance(called, ast.Name):
            return called.id in self._imported or called.id in self._functions
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
        self.names = ModuleNames(tree)
        self._named: dict[str, list[Function]] = defaultdict(list)
        self._named[MODULE].append(Function(MODULE, 1, len(text), tree, resumes=False))
        for node in ast.walk(tree):
            function = _function(node)
            if function is not None:
                self._named[function.name].append(function)

    def at(self, name: str, line: int) -> Function | None:
        """The function that a frame of this name and line runs; None where there is none, or several (two lambdas on a line)."""
        found = self._candidates(name, line)
        return found[0] if len(found) == 1 else None

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


def _function(node: ast.AST) -> Function | None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        resumes = not isinstance(node, ast.ClassDef) and (isinstance(node, ast.AsyncFunctionDef) or _yields(node))
        return Function(node.name, first, node.end_lineno or node.lineno, node, resumes)
    if isinstance(node, ast.Lambda):
        return Function("<lambda>", node.lineno, node.end_lineno or node.lineno, node, resumes=False)
    name = _COMPREHENSIONS.get(type(node))
    if name is not None and isinstance(node, ast.expr):
        return Function(name, node.lineno, node.end_lineno or node.lineno, node, resumes=isinstance(node, ast.GeneratorExp))
    return None


def _yields(function: ast.FunctionDef) -> bool:
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending += ast.iter_child_nodes(node)
    return False
