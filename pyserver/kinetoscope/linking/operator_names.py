"""Which operators Python's own constructs run without a call: `a @ b`, `-x`, `x[i]`, `x.T`, `if x:`, `float(x)`.

Names are those of a trace without `aten::` and without the `_` of the in-place form.
"""

from __future__ import annotations

import ast

ANY = frozenset({"*"})

_BINARY: dict[type[ast.operator], tuple[str, frozenset[str]]] = {
    ast.Add: ("add", frozenset({"add"})),
    ast.Sub: ("sub", frozenset({"sub", "subtract", "rsub"})),
    ast.Mult: ("mul", frozenset({"mul", "multiply"})),
    ast.Div: ("truediv", frozenset({"div", "divide", "true_divide", "reciprocal"})),
    ast.FloorDiv: ("floordiv", frozenset({"floor_divide", "div"})),
    ast.Mod: ("mod", frozenset({"remainder", "fmod"})),
    ast.Pow: ("pow", frozenset({"pow"})),
    ast.MatMult: ("matmul", frozenset({"matmul", "mm", "mv", "bmm", "dot", "linear"})),
    ast.BitAnd: ("and", frozenset({"__and__", "__iand__", "bitwise_and", "logical_and"})),
    ast.BitOr: ("or", frozenset({"__or__", "__ior__", "bitwise_or", "logical_or"})),
    ast.BitXor: ("xor", frozenset({"__xor__", "__ixor__", "bitwise_xor", "logical_xor"})),
    ast.LShift: ("lshift", frozenset({"__lshift__", "__ilshift__", "bitwise_left_shift"})),
    ast.RShift: ("rshift", frozenset({"__rshift__", "__irshift__", "bitwise_right_shift"})),
}
_UNARY: dict[type[ast.unaryop], tuple[str, frozenset[str]]] = {
    ast.USub: ("neg", frozenset({"neg", "negative"})),
    ast.UAdd: ("pos", frozenset({"positive"})),
    ast.Invert: ("invert", frozenset({"bitwise_not", "logical_not"})),
}
_ORDER = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_COMPARE: dict[type[ast.cmpop], str] = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
# torch defines some of its operators in Python, behind a wrapper of this name.
_WRAPPERS = frozenset({"wrapped", "__torch_function__"})

SCALAR = frozenset({"item", "_local_scalar_dense", "is_nonzero"})
UNBIND = frozenset({"unbind"})
SUBSCRIPT = SCALAR | {
    *("select", "slice", "index", "unsqueeze", "squeeze", "alias", "nonzero", "to", "_to_copy", "expand", "view", "permute", "as_strided"),
    *("lift_fresh", "detach", "take", "empty", "full", "scalar_tensor"),
}
SUBSCRIPT_STORE = SUBSCRIPT | {"copy", "fill", "zero", "index_put", "masked_fill", "set", "expand_as", "reshape"}
PROPERTIES: dict[str, frozenset[str]] = {
    "T": frozenset({"numpy_T", "t", "permute", "transpose"}),
    "mT": frozenset({"mT", "transpose"}),
    "H": frozenset({"matrix_H", "adjoint", "conj", "transpose"}),
    "mH": frozenset({"mH", "adjoint", "conj", "transpose"}),
    "real": frozenset({"real", "view_as_real", "select", "alias"}),
    "imag": frozenset({"imag", "view_as_real", "select"}),
    "data": ANY,
    "grad": ANY,
}
STORED_PROPERTIES = frozenset({"data", "grad", "requires_grad", "real", "imag"})


def binary(op: ast.operator) -> tuple[frozenset[str], frozenset[str]]:
    """`(Python functions, operators)` that a binary operator may run."""
    name, operators = _BINARY[type(op)]
    return frozenset({f"__{name}__", f"__r{name}__", f"__i{name}__", "__rdiv__", "__div__"}) | _WRAPPERS, operators


def unary(op: ast.unaryop) -> tuple[frozenset[str], frozenset[str]]:
    """Likewise for `-x`, `+x`, `~x`."""
    name, operators = _UNARY[type(op)]
    return frozenset({f"__{name}__"}) | _WRAPPERS, operators


def comparison(op: ast.cmpop) -> tuple[frozenset[str], frozenset[str]] | None:
    """Likewise for a comparison, which either operand may answer; None for `is`, which runs nothing."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        return None
    if isinstance(op, (ast.In, ast.NotIn)):
        return frozenset({"__contains__", "__eq__", "__iter__"}), frozenset({"eq", "any"}) | SCALAR
    name = _COMPARE[type(op)]
    return frozenset({f"__{name}__", f"__{_ORDER[name]}__"}) | _WRAPPERS, frozenset({name, _ORDER[name]})


ALL = frozenset().union(
    *(operators for _, operators in [*_BINARY.values(), *_UNARY.values()]),
    _ORDER,
    SUBSCRIPT_STORE,
    UNBIND,
    *(operators for operators in PROPERTIES.values() if operators is not ANY),
)
"""Every operator that is known to belong to some construct."""


def plain_name(operator: str) -> str:
    """`aten::add_` → `add`."""
    name = operator.removeprefix("aten::")
    return name if name.startswith("__") else name.rstrip("_")
