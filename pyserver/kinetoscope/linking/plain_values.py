"""Which expressions of a function certainly are numbers, texts or shapes, so that operators on them run nothing in torch."""

from __future__ import annotations

import ast
from collections import defaultdict

_COUNTS = frozenset(
    {"len", "round", "ord", "perf_counter", "time", "perf_counter_ns", "time_ns", "isinstance", "hasattr", "callable", "id"}
)
_SIZES = frozenset({"size", "dim", "numel", "ndimension", "element_size", "is_contiguous", "nelement"})
_FACTS = frozenset({"shape", "ndim", "device", "dtype", "is_cuda", "requires_grad", "training", "itemsize", "__name__"})


class PlainValues:
    """Knows the names of one function that are only ever bound to plain values."""

    def __init__(self, function: ast.AST) -> None:
        bound: dict[str, list[ast.expr | None]] = defaultdict(list)
        for node in ast.walk(function):
            _collect(node, bound)
        self._names: set[str] = set()
        while True:  # a name may be plain because another is
            more = {
                name
                for name, values in bound.items()
                if name not in self._names and all(v is not None and self.is_plain(v) for v in values)
            }
            if not more:
                break
            self._names |= more

    def is_text(self, node: ast.expr) -> bool:
        """True for literal texts, with which no tensor is computed."""
        return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))

    def is_plain(self, node: ast.expr) -> bool:
        """True where the value is certainly no tensor."""
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            return True
        if isinstance(node, ast.Name):
            return node.id in self._names
        if isinstance(node, ast.Attribute):
            return node.attr in _FACTS
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
        if isinstance(node, ast.Call):
            called = node.func
            return (isinstance(called, ast.Attribute) and called.attr in _SIZES | {"perf_counter", "time"}) or (
                isinstance(called, ast.Name) and called.id in _COUNTS | {"int", "float", "bool", "str"}
            )
        if isinstance(node, ast.BinOp):
            return self.is_plain(node.left) and self.is_plain(node.right)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not) or self.is_plain(node.operand)
        if isinstance(node, ast.BoolOp):
            return all(self.is_plain(value) for value in node.values)
        if isinstance(node, ast.Compare):
            if all(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops):
                return True
            return self.is_plain(node.left) and all(self.is_plain(right) for right in node.comparators)
        return False


def _collect(node: ast.AST, bound: dict[str, list[ast.expr | None]]) -> None:
    """Note what names are bound to; None for what is not known."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            _bind(target, node.value, bound)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr, ast.AugAssign)):
        _bind(node.target, node.value, bound)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        counts = isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id == "range"
        _bind(node.target, ast.Constant(0) if counts else None, bound)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        _bind(node.optional_vars, None, bound)
    elif isinstance(node, ast.arg):
        bound[node.arg].append(None)
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        for name in node.names:
            bound[name].append(None)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        bound[node.name].append(None)


def _bind(target: ast.expr, value: ast.expr | None, bound: dict[str, list[ast.expr | None]]) -> None:
    if isinstance(target, ast.Name):
        bound[target.id].append(value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        shape = isinstance(value, ast.Attribute) and value.attr == "shape"
        size = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "size"
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) else None
        for index, element in enumerate(target.elts):
            whole = ast.Constant(0) if shape or size else None
            _bind(element, parts[index] if parts is not None and not isinstance(element, ast.Starred) else whole, bound)
    elif isinstance(target, ast.Starred):
        _bind(target.value, None, bound)
