"""Writes extension/server/wire.ts from pyserver/kinetoscope/service/wire.py, and extension/server/views.ts from what the views of
service/views.py return, so that both sides of the wire share one definition.

    python scripts/generate_wire.py            write the files
    python scripts/generate_wire.py --check    exit 1 where one is stale

Types come from msgspec's own view of the structs (what is really encoded), words from their docstrings. The output depends on nothing
else and is formatted as prettier would, so that a second run changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
import typing
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "pyserver"))

import msgspec  # noqa: E402
from msgspec import inspect as shapes  # noqa: E402

from kinetoscope.analysis import tables  # noqa: E402
from kinetoscope.analysis.timeline import answers  # noqa: E402
from kinetoscope.service import wire  # noqa: E402
from kinetoscope.service.views import VIEWS  # noqa: E402

FOLDER = ROOT / "extension" / "server"
MODULES: tuple[ModuleType, ...] = (tables, answers, wire)
WIDTH = 140
HEADER = """\
// Generated from {source} by scripts/generate_wire.py. Change {what} and run
// `python scripts/generate_wire.py`; `npm run check` fails while this file is stale.
"""


class Words:
    """The docstrings of a module's classes, their fields and its type aliases, which only its source still has."""

    def __init__(self, modules: tuple[ModuleType, ...]) -> None:
        self.of: dict[str, str] = {}
        for module in modules:
            tree = ast.parse(inspect.getsource(module))
            self._collect(tree.body, "")

    def _collect(self, body: list[ast.stmt], prefix: str) -> None:
        for node, following in zip(body, [*body[1:], None], strict=True):
            if isinstance(node, ast.ClassDef):
                doc = ast.get_docstring(node)
                if doc:
                    self.of[node.name] = doc
                self._collect(node.body, f"{node.name}.")
            name = _assigned_name(node)
            if (
                name
                and isinstance(following, ast.Expr)
                and isinstance(following.value, ast.Constant)
                and isinstance(following.value.value, str)
            ):
                self.of[prefix + name] = inspect.cleandoc(following.value.value)


def _assigned_name(node: ast.stmt) -> str | None:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _aliases() -> dict[frozenset[object], str]:
    """Named `Literal[...]` types of the modules, by their values: msgspec's view keeps only the values."""
    named: dict[frozenset[object], str] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if typing.get_origin(value) is typing.Literal:
                named.setdefault(frozenset(typing.get_args(value)), name)
    return named


ALIASES = _aliases()


def _literal(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def _type(shape: shapes.Type) -> str:
    """The TypeScript of one msgspec type; raises TypeError for a type the wire should not use."""
    match shape:
        case shapes.IntType() | shapes.FloatType():
            return "number"
        case shapes.StrType():
            return "string"
        case shapes.BytesType():  # base64
            return "string"
        case shapes.BoolType():
            return "boolean"
        case shapes.NoneType():
            return "null"
        case shapes.LiteralType(values=values):
            named = ALIASES.get(frozenset(values))
            return named or " | ".join(_literal(value) for value in values)
        case shapes.ListType(item_type=item):
            inner = _type(item)
            return f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"
        case shapes.DictType(key_type=shapes.StrType(), value_type=value):
            return f"Readonly<Record<string, {_type(value)}>>"
        case shapes.TupleType(item_types=items):
            return f"readonly [{', '.join(_type(item) for item in items)}]"
        case shapes.AnyType():
            return "unknown"
        case shapes.UnionType(types=types):
            return " | ".join(_type(each) for each in types)
        case shapes.StructType(cls=cls):
            return cls.__name__
        case _:
            raise TypeError(f"the wire has no TypeScript for {shape!r}: add it to scripts/generate_wire.py or use another type")


def _comment(words: str | None, indent: str = "") -> list[str]:
    if not words:
        return []
    # Plain text: a `*/` in a docstring would end the comment.
    text = " ".join(words.split()).replace("*/", "* /")
    one_line = f"{indent}/** {text} */"
    if len(one_line) <= WIDTH:
        return [one_line]
    lines, current = [], ""
    for word in text.split(" "):
        if current and len(indent) + 3 + len(current) + 1 + len(word) > WIDTH:
            lines.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    lines.append(current)
    return [f"{indent}/**", *(f"{indent} * {line}" for line in lines), f"{indent} */"]


def _interface(cls: type, words: Words, *, returned: bool = False) -> list[str]:
    """`returned`: it is only ever a result, whose fields are all there."""
    shape = typing.cast("shapes.StructType", shapes.type_info(cls))
    out = _comment(words.of.get(cls.__name__))
    if not shape.fields:
        # An empty interface would accept anything.
        return [*out, f"export type {cls.__name__} = Readonly<Record<string, never>>;"]
    out.append(f"export interface {cls.__name__} {{")
    for field in shape.fields:
        out += _comment(next((words.of[key] for base in cls.__mro__ if (key := f"{base.__name__}.{field.name}") in words.of), None), "  ")
        # A field with a default may be left out: only parameters have any.
        out.append(f"  readonly {field.encode_name}{'' if field.required or returned else '?'}: {_type(field.type)};")
    out.append("}")
    return out


def _union(name: str, members: list[str]) -> list[str]:
    line = f"export type {name} = {' | '.join(members)};"
    if len(line) <= WIDTH:
        return [line]
    return [f"export type {name} =", *(f"  | {member}" for member in members[:-1]), f"  | {members[-1]};"]


def _methods(name: str, words: Words, entries: dict[str, str]) -> list[str]:
    return [
        *_comment(words.of.get(name)),
        f"export interface {name.title().replace('_', '')} {{",
        *(f"  readonly '{method}': {shape};" for method, shape in entries.items()),
        "}",
    ]


def _within(shape: shapes.Type) -> typing.Iterator[type]:
    """The structs in a type, itself first where it is one."""
    match shape:
        case shapes.StructType(cls=cls):
            yield cls
        case shapes.ListType(item_type=item) | shapes.DictType(value_type=item):
            yield from _within(item)
        case shapes.UnionType(types=items) | shapes.TupleType(item_types=items):
            for each in items:
                yield from _within(each)
        case _:
            pass


def _reached(roots: list[type]) -> dict[str, type]:
    """All structs that the roots are made of, by name, in the order they are met. Raises ValueError for two of one name."""
    found: dict[str, type] = {}
    waiting = list(roots)
    while waiting:
        cls = waiting.pop(0)
        if found.setdefault(cls.__name__, cls) is not cls:
            raise ValueError(f"{cls.__module__} and {found[cls.__name__].__module__} both have a struct {cls.__name__}: rename one")
        fields = typing.cast("shapes.StructType", shapes.type_info(cls)).fields
        waiting += [
            each for field in fields for each in _within(field.type) if each.__name__ not in found or found[each.__name__] is not each
        ]
    return found


def _structs() -> list[type]:
    """The structs that the modules define, in the order of their source, tables first, and those of other modules that they are made of."""
    values = [(module, value) for module in MODULES for value in vars(module).values()]
    own = [
        value
        for module, value in values
        if isinstance(value, type) and issubclass(value, msgspec.Struct) and value.__module__ == module.__name__
    ]
    results = [result for _, result in wire.REQUESTS.values()]
    return list(dict.fromkeys([*own, *_reached([*own, *results]).values()]))


def generate() -> str:
    """The whole text of wire.ts."""
    words = Words(tuple(dict.fromkeys([*MODULES, *(sys.modules[cls.__module__] for cls in _structs())])))
    blocks: list[list[str]] = []
    for module in MODULES:
        for name, value in vars(module).items():
            if (
                typing.get_origin(value) is typing.Literal
                and ALIASES[frozenset(typing.get_args(value))] == name
                and not (module is not tables and hasattr(tables, name))
            ):
                blocks.append([*_comment(words.of.get(name)), *_union(name, [_literal(each) for each in typing.get_args(value)])])
    blocks += [_interface(cls, words) for cls in _structs()]
    blocks.append(
        _methods(
            "REQUESTS",
            words,
            {
                method: f"{{ readonly params: {params.__name__}; readonly result: {result.__name__} }}"
                for method, (params, result) in wire.REQUESTS.items()
            },
        )
    )
    blocks.append(_methods("NOTIFICATIONS", words, {method: params.__name__ for method, params in wire.NOTIFICATIONS.items()}))
    blocks.append(
        _methods("CLIENT_NOTIFICATIONS", words, {method: params.__name__ for method, params in wire.CLIENT_NOTIFICATIONS.items()})
    )
    return _file("pyserver/kinetoscope/service/wire.py", "that file", blocks)


def _file(source: str, what: str, blocks: list[list[str]]) -> str:
    return HEADER.format(source=source, what=what) + "\n" + "\n\n".join("\n".join(block) for block in blocks) + "\n"


def generate_views() -> str:
    """The whole text of views.ts: what each view returns."""
    results = {view.name: view.result() for view in VIEWS.values() if view.tables}
    reached = _reached(list(dict.fromkeys(results.values())))
    shared = sorted(name for name, cls in reached.items() if cls in set(_structs()))
    own = [cls for name, cls in reached.items() if name not in shared]
    words = Words(tuple(dict.fromkeys(sys.modules[cls.__module__] for cls in own)))
    body = [line for cls in own for line in _interface(cls, words, returned=True)]
    aliases = sorted({alias for alias in ALIASES.values() if any(re.search(rf"\b{alias}\b", line) for line in body)})
    contents = ["/** What each view of `kinetoscope/view` returns, by its name. */", "export interface ViewContents {"]
    contents += [f"  readonly {name if name.isidentifier() else repr(name)}: {cls.__name__};" for name, cls in results.items()]
    blocks = [[f"import type {{ {', '.join(sorted([*shared, *aliases]))} }} from './wire';"]] if shared or aliases else []
    blocks += [_interface(cls, words, returned=True) for cls in own]
    return _file("the views of pyserver/kinetoscope/service/views.py", "their structs", [*blocks, [*contents, "}"]])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 where a file is stale")
    check = parser.parse_args().check
    stale = False
    for name, text in (("wire.ts", generate()), ("views.ts", generate_views())):
        path = FOLDER / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale = True
        if check:
            print(f"{path.relative_to(ROOT)} is stale: run `python scripts/generate_wire.py`", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
