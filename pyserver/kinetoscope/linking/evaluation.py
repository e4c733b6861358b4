"""A function's source becomes its graph of sites, in Python's order of evaluation (the language reference, 6.16)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from kinetoscope.linking import operator_names as operators
from kinetoscope.linking.plain_values import PlainValues
from kinetoscope.linking.site_graph import BREAK, CONTINUE, DEAD_END, NOTHING, RETURN, Exit, Fragment, GraphBuilder, Site, jump
from kinetoscope.linking.source_code import Function, ModuleNames

_GETATTR = frozenset({"__getattr__", "__getattribute__", "__get__", "__torch_function__"})
_SETATTR = frozenset({"__setattr__", "__set__", "__delattr__"})
_GETITEM = frozenset({"__getitem__", "__index__", "__hash__", "__eq__", "__missing__", "__class_getitem__", "__torch_function__"})
_SETITEM = frozenset({"__setitem__", "__delitem__"}) | _GETITEM
_ITERATE = frozenset({"__iter__", "__next__", "__len__", "<genexpr>", "__getitem__", "__aiter__", "__anext__"})
_CONVERT = frozenset({"__index__", "__int__", "__float__", "__bool__", "__complex__", "__len__", "__str__", "__repr__", "__format__"})
_CREATE = frozenset({"__init__", "__new__", "__call__", "__post_init__", "__torch_function__"})
_ENTER = frozenset({"__enter__", "__aenter__"})
_EXIT = frozenset({"__exit__", "__aexit__"})

# Types are called without an event of their own.
_SCALAR_TYPES = frozenset({"int", "float", "bool", "complex", "str", "bytes", "range", "slice"})
_COLLECTIONS = frozenset(
    {"list", "tuple", "dict", "set", "frozenset", "zip", "enumerate", "map", "filter", "reversed", "bytearray", "memoryview"}
)
_CLASSES = frozenset(
    {"super", "type", "object", "property", "staticmethod", "classmethod", "device", "dtype", "finfo", "iinfo", "partial", "deque"}
    | {"defaultdict", "no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "autocast", "record_function", "profile", "suppress"}
    | {"nullcontext", "closing", "chain", "count", "cycle", "product", "repeat", "islice", "itemgetter", "attrgetter", "array"}
)

# Generator functions of `nn.Module`.
_GENERATORS = frozenset(
    {"parameters", "named_parameters", "buffers", "named_buffers", "children", "named_children", "modules", "named_modules"}
)

_NO_LINE = -1
_Node: TypeAlias = ast.expr | ast.stmt | ast.pattern


@dataclass(frozen=True)
class _What:
    """What can arise at a site (`Site`). `run`: its operators."""

    names: frozenset[str] = frozenset()
    strangers: bool = False
    anyone: bool = False
    modules: bool = False
    run: frozenset[str] = frozenset()
    odd: bool = False
    line: int = 0
    """0: the first line of the piece of syntax."""

    def site(self, node: _Node) -> Site:
        """The site at a piece of syntax."""
        whole = not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        last = (node.end_lineno or node.lineno) if whole else node.lineno
        odd = self.odd or self.run is operators.ANY
        return Site(self.line or node.lineno, node.lineno, last, self.names, self.strangers, self.anyone, self.modules, self.run, odd)


class Reading(Enum):
    """What the call of something makes that is not known to be a class or a generator function. The source alone does not say, so the
    first that fits what was recorded is taken."""

    PLAIN = "plain"
    """Exactly one event, as functions of Python and built-in ones do."""
    LOOSE = "loose"
    """The same where the function was seen to call one of that name. Otherwise none or several, or it runs operators itself: it may be a
    generator function from elsewhere, a class, or a callable object written in C."""


def graph_of(function: Function, names: ModuleNames, called: Set[str], reading: Reading) -> tuple[GraphBuilder, Fragment]:
    """The sites of one call of the function, and the fragment that is its whole body. `called`: names that it was seen to call."""
    evaluation = _Evaluation(function, names, called, reading)
    return evaluation.builder, evaluation.whole(function)


class _Evaluation:
    def __init__(self, function: Function, names: ModuleNames, called: Set[str], reading: Reading) -> None:
        self._called = called
        self.builder = GraphBuilder()
        self._names = names
        self._reading = reading
        self._plain = PlainValues(function.node)

    def whole(self, function: Function) -> Fragment:
        node = function.node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
            return self._body(node.body)
        if isinstance(node, ast.Lambda):
            return self._value(node.body)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            each = [self._value(node.elt)]
            if isinstance(node, ast.GeneratorExp):
                each.append(self.builder.pause(node.elt.lineno, may_pass=False))
            return self._rounds(node, node.generators, self.builder.then(*each))
        assert isinstance(node, ast.DictComp)
        return self._rounds(node, node.generators, self._values(node.key, node.value))

    # Statements

    def _body(self, statements: Sequence[ast.stmt]) -> Fragment:
        return self.builder.then(*(self._statement(each) for each in statements))

    def _statement(self, node: ast.stmt) -> Fragment:
        if isinstance(node, (ast.Break, ast.Continue)):
            return jump(BREAK if isinstance(node, ast.Break) else CONTINUE)
        handler: Callable[[ast.stmt], Fragment] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        return handler(node) if handler is not None else NOTHING

    def _expr(self, node: ast.Expr) -> Fragment:
        return self._value(node.value)

    def _return(self, node: ast.Return) -> Fragment:
        return self.builder.then(self._value(node.value), jump(RETURN))

    def _raise(self, node: ast.Raise) -> Fragment:
        return self.builder.then(self._value(node.exc), self._value(node.cause), DEAD_END)

    def _assign(self, node: ast.Assign) -> Fragment:
        return self.builder.then(self._value(node.value), *(self._store(target) for target in node.targets))

    def _annassign(self, node: ast.AnnAssign) -> Fragment:
        return self.builder.then(self._value(node.value), self._store(node.target)) if node.value is not None else NOTHING

    def _augassign(self, node: ast.AugAssign) -> Fragment:
        target = node.target
        load: list[Fragment] = []
        if isinstance(target, ast.Attribute):
            load = [self._value(target.value), self._load_attribute(target, called=False)]
        elif isinstance(target, ast.Subscript):
            load = [self._value(target.value), self._value(target.slice), self._subscript(target, store=False)]
        done = self._operator(node, operators.binary(node.op), [target, node.value])
        return self.builder.then(*load, self._value(node.value), done, self._store(target, bare=True))

    def _delete(self, node: ast.Delete) -> Fragment:
        return self.builder.then(*(self._store(target) for target in node.targets))

    def _assert(self, node: ast.Assert) -> Fragment:
        return self._condition(node.test, node)

    def _if(self, node: ast.If) -> Fragment:
        branches = self.builder.either(self._body(node.body), self._body(node.orelse))
        return self.builder.then(self._condition(node.test, node), branches)

    def _while(self, node: ast.While) -> Fragment:
        head = self._condition(node.test, node)
        body = self._body(node.body)
        whole = self.builder.loop(head, body, self._body(node.orelse))
        if isinstance(node.test, ast.Constant) and node.test.value:  # left by `break` only
            leave = {kind: way for kind, way in body.jumps.items() if kind == BREAK}
            return Fragment(whole.first, leave.get(BREAK, Exit()), whole.all, whole.jumps)
        return whole

    def _for(self, node: ast.For | ast.AsyncFor) -> Fragment:
        start = self._value(node.iter)
        begin, head = self._iteration(node.iter)
        body = self.builder.then(self._store(node.target), self._body(node.body))
        return self.builder.then(start, begin, self.builder.loop(head, body, self._body(node.orelse)))

    def _asyncfor(self, node: ast.AsyncFor) -> Fragment:
        return self.builder.then(self._for(node), self.builder.pause(node.lineno, may_pass=True))

    def _with(self, node: ast.With | ast.AsyncWith) -> Fragment:
        return self._managed(node, list(node.items))

    _asyncwith = _with

    def _managed(self, node: ast.With | ast.AsyncWith, items: list[ast.withitem]) -> Fragment:
        if not items:
            return self._body(node.body)
        item, rest = items[0], items[1:]
        context = item.context_expr
        called = context.func if isinstance(context, ast.Call) else context
        enter = self._any_number(context, _What(names=_ENTER))
        store = self._store(item.optional_vars) if item.optional_vars is not None else NOTHING
        body = self.builder.then(store, self._managed(node, rest))
        leave, failed = (self._any_number(context, _What(names=_EXIT)) for _ in range(2))
        swallows = _terminal(called) in {"suppress", "raises"}
        made = self._call(context, creates=True) if isinstance(context, ast.Call) else self._value(context)
        return self.builder.then(made, enter, self.builder.finally_(body, leave, failed, swallows=swallows))

    def _try(self, node: ast.Try) -> Fragment:
        body = self.builder.then(self._body(node.body))
        after = self._body(node.orelse)
        if node.handlers:
            handlers = self.builder.either(*(self._handler(handler) for handler in node.handlers))
            guarded = self.builder.attempt(body, handlers)
            # `else` follows the body alone; the handlers' ends may pass it
            self.builder.link(body.end.last, after.first)
            extra = self.builder.then(Fragment(body.first, body.end, 0), after)
            whole = Fragment(
                guarded.first | (after.first if body.end.passes else 0),
                Exit(
                    extra.end.last | (guarded.end.last & ~body.all) | (body.all if handlers.end.passes else 0),
                    extra.end.passes or handlers.end.passes,
                ),
                guarded.all | after.all,
                _merged(guarded.jumps, extra.jumps),
            )
        else:
            whole = self.builder.then(body, after)
        if not node.finalbody:
            return whole
        return self.builder.finally_(whole, self._body(node.finalbody), self._body(node.finalbody), swallows=False)

    _trystar = _try

    def _handler(self, node: ast.ExceptHandler) -> Fragment:
        return self.builder.then(self._value(node.type), self._body(node.body))

    def _match(self, node: ast.Match) -> Fragment:
        cases: list[Fragment] = []
        before = NOTHING
        for case in node.cases:
            pattern = self._any_number(
                case.pattern, _What(names=frozenset({"__eq__", "__len__", "__getitem__", "__instancecheck__"}) | _GETATTR)
            )
            guard = self._condition(case.guard, case.guard) if case.guard is not None else NOTHING
            before = self.builder.then(before, pattern, guard)
            cases.append(self.builder.then(before, self._body(case.body)))
        return self.builder.then(self._value(node.subject), self.builder.either(NOTHING, *cases))

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Fragment:
        defaults = [*node.args.defaults, *(default for default in node.args.kw_defaults if default is not None)]
        return self.builder.then(self._values(*node.decorator_list, *defaults), *self._decorate(node.decorator_list))

    _asyncfunctiondef = _functiondef

    def _classdef(self, node: ast.ClassDef) -> Fragment:
        created = self._any_number(node, _What(names=frozenset({"__build_class__", node.name, "__prepare__", "__init_subclass__"})))
        bases = [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
        return self.builder.then(self._values(*bases), created, *self._decorate(node.decorator_list))

    def _decorate(self, decorators: Iterable[ast.expr]) -> list[Fragment]:
        return [self._any_number(decorator, _What(anyone=True, strangers=True)) for decorator in decorators]

    def _import(self, node: ast.Import | ast.ImportFrom) -> Fragment:
        return self._any_number(node, _What(anyone=True, strangers=True))

    _importfrom = _import

    # Targets

    def _store(self, node: ast.expr, *, bare: bool = False) -> Fragment:
        """Assignment to a target; `bare` where its parts are evaluated already."""
        if isinstance(node, ast.Attribute):
            odd = node.attr in operators.STORED_PROPERTIES
            stored = self._any_number(
                node, _What(names=_SETATTR | {node.attr}, line=_attribute_line(node), run=operators.ANY if odd else frozenset[str]())
            )
            return stored if bare else self.builder.then(self._value(node.value), stored)
        if isinstance(node, ast.Subscript):
            stored = self._subscript(node, store=True)
            return stored if bare else self.builder.then(self._value(node.value), self._value(node.slice), stored)
        if isinstance(node, (ast.Tuple, ast.List)):
            unpack = self._any_number(node, _What(names=_ITERATE, run=operators.UNBIND))
            return self.builder.then(unpack, *(self._store(element) for element in node.elts))
        if isinstance(node, ast.Starred):
            return self._store(node.value)
        return NOTHING

    # Expressions

    def _values(self, *nodes: ast.expr | None) -> Fragment:
        return self.builder.then(*(self._value(node) for node in nodes))

    def _value(self, node: ast.expr | None) -> Fragment:
        if node is None or isinstance(node, (ast.Constant, ast.Name)):
            return NOTHING
        handler: Callable[[ast.expr], Fragment] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is not None:
            return handler(node)
        return self._values(*(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)))

    def _lambda(self, node: ast.Lambda) -> Fragment:
        return self._values(*node.args.defaults, *(default for default in node.args.kw_defaults if default is not None))

    def _binop(self, node: ast.BinOp) -> Fragment:
        return self.builder.then(
            self._values(node.left, node.right), self._operator(node, operators.binary(node.op), [node.left, node.right])
        )

    def _unaryop(self, node: ast.UnaryOp) -> Fragment:
        if isinstance(node.op, ast.Not):
            return self.builder.then(self._value(node.operand), self._truth(node.operand, node, node.lineno))
        return self.builder.then(self._value(node.operand), self._operator(node, operators.unary(node.op), [node.operand]))

    def _compare(self, node: ast.Compare) -> Fragment:
        result = self._value(node.left)
        left, rest = node.left, NOTHING
        steps: list[Fragment] = []
        for op, right in zip(node.ops, node.comparators, strict=True):
            what = operators.comparison(op)
            run = self._operator(node, what, [left, right]) if what is not None else NOTHING
            steps.append(self.builder.then(self._value(right), run))
            left = right
        for position, step in reversed([*enumerate(steps)]):
            rest = self.builder.then(step, rest)
            if position:
                rest = self.builder.either(NOTHING, self.builder.then(self._truth(node, node, node.lineno), rest))
        return self.builder.then(result, rest)

    def _boolop(self, node: ast.BoolOp) -> Fragment:
        rest = self._value(node.values[-1])
        for value in reversed(node.values[:-1]):
            rest = self.builder.then(self._value(value), self._truth(value, node, node.lineno), self.builder.either(NOTHING, rest))
        return rest

    def _ifexp(self, node: ast.IfExp) -> Fragment:
        return self.builder.then(self._condition(node.test, node), self.builder.either(self._value(node.body), self._value(node.orelse)))

    def _attribute(self, node: ast.Attribute) -> Fragment:
        return self.builder.then(self._value(node.value), self._load_attribute(node, called=False))

    def _load_attribute(self, node: ast.Attribute, *, called: bool) -> Fragment:
        if self._names.is_imported(_root(node)):
            return NOTHING
        names = _GETATTR if called else _GETATTR | {node.attr}
        run = operators.PROPERTIES.get(node.attr, frozenset()) if not called else frozenset[str]()
        return self._any_number(node, _What(names=names, run=run, line=_attribute_line(node)))

    def _subscript(self, node: ast.Subscript, *, store: bool | None = None) -> Fragment:
        if store is None:
            return self.builder.then(self._value(node.value), self._value(node.slice), self._subscript(node, store=False))
        if self._plain.is_plain(node) or self._plain.is_plain(node.value):
            return NOTHING
        names, run = (_SETITEM, operators.SUBSCRIPT_STORE) if store else (_GETITEM, operators.SUBSCRIPT)
        return self._any_number(node, _What(names=names, run=run, odd=True))

    def _starred(self, node: ast.Starred) -> Fragment:
        return self.builder.then(self._value(node.value), self._any_number(node, _What(names=_ITERATE, run=operators.UNBIND)))

    def _joinedstr(self, node: ast.JoinedStr) -> Fragment:
        return self._values(*node.values)

    def _formattedvalue(self, node: ast.FormattedValue) -> Fragment:
        return self.builder.then(self._value(node.value), self._any_number(node, _What(names=_CONVERT, run=operators.SCALAR)))

    def _dict(self, node: ast.Dict) -> Fragment:
        return self._values(*(part for pair in zip(node.keys, node.values, strict=True) for part in pair))

    def _namedexpr(self, node: ast.NamedExpr) -> Fragment:
        return self._value(node.value)

    def _yield(self, node: ast.Yield) -> Fragment:
        return self.builder.then(self._value(node.value), self.builder.pause(node.lineno, may_pass=False))

    def _yieldfrom(self, node: ast.YieldFrom | ast.Await) -> Fragment:
        names = _called_names(node.value) | _ITERATE | {"__await__"}
        each = self.builder.then(self._any_number(node, _What(names=names, strangers=True)), self.builder.pause(node.lineno, may_pass=True))
        return self.builder.then(self._value(node.value), self.builder.loop(NOTHING, each, NOTHING))

    _await = _yieldfrom

    def _listcomp(self, node: ast.ListComp | ast.SetComp) -> Fragment:
        return self._comprehension(node, node.generators, [node.elt], "<listcomp>" if isinstance(node, ast.ListComp) else "<setcomp>")

    _setcomp = _listcomp

    def _dictcomp(self, node: ast.DictComp) -> Fragment:
        return self._comprehension(node, node.generators, [node.key, node.value], "<dictcomp>")

    def _generatorexp(self, node: ast.GeneratorExp) -> Fragment:
        begin, _ = self._iteration(node.generators[0].iter)
        return self.builder.then(self._value(node.generators[0].iter), begin)

    def _comprehension(self, node: ast.expr, generators: list[ast.comprehension], each: list[ast.expr], name: str) -> Fragment:
        """A frame of its own (to Python 3.11) or part of the function (from 3.12)."""
        apart = self._at_most_one(node, _What(names=frozenset({name})), least=1)
        begin, _ = self._iteration(generators[0].iter)
        inline = self._rounds(node, generators, self._values(*each))
        return self.builder.then(self._value(generators[0].iter), begin, self.builder.either(apart, inline))

    def _rounds(self, node: ast.expr, generators: list[ast.comprehension], each: Fragment) -> Fragment:
        """The nested loops of a comprehension, whose first iterable is evaluated already."""
        for number, generator in reversed([*enumerate(generators)]):
            begin, head = self._iteration(generator.iter)
            tests = [self._condition(test, node) for test in generator.ifs]
            each = self.builder.loop(head, self.builder.then(self._store(generator.target), self._passing(tests, each)), NOTHING)
            if number:
                each = self.builder.then(self._value(generator.iter), begin, each)
        return each

    def _passing(self, tests: list[Fragment], each: Fragment) -> Fragment:
        for test in reversed(tests):
            each = self.builder.then(test, self.builder.either(NOTHING, each))
        return each

    def _iteration(self, iterable: ast.expr) -> tuple[Fragment, Fragment]:
        """`(begin, next)` of a loop over an iterable."""
        if isinstance(iterable, ast.Call) and _terminal(iterable.func) == "range":
            return NOTHING, NOTHING
        names = _ITERATE | _called_names(iterable)
        begin = self._any_number(iterable, _What(names=_ITERATE, run=operators.UNBIND))
        return begin, self._any_number(iterable, _What(names=names, strangers=True))

    def _condition(self, node: ast.expr, deciding: ast.stmt | ast.expr) -> Fragment:
        """An expression by which `deciding` goes on one way or another. Versions of Python differ in the line on which they ask whether it
        is true, if it does not stand on the first line of `deciding` as a whole."""
        return self._deciding(node, deciding, deciding.lineno if node.end_lineno == deciding.lineno else _NO_LINE)

    def _deciding(self, node: ast.expr, deciding: ast.stmt | ast.expr, line: int) -> Fragment:
        """`not`, `and`, `or` and `… if … else …` decide themselves, part by part."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._deciding(node.operand, deciding, line)
        if isinstance(node, ast.BoolOp):
            rest = self._deciding(node.values[-1], deciding, line)
            for value in reversed(node.values[:-1]):
                rest = self.builder.then(self._deciding(value, deciding, line), self.builder.either(NOTHING, rest))
            return rest
        if isinstance(node, ast.IfExp):
            branches = self.builder.either(self._deciding(node.body, deciding, line), self._deciding(node.orelse, deciding, line))
            return self.builder.then(self._deciding(node.test, deciding, line), branches)
        return self.builder.then(self._value(node), self._truth(node, deciding, line))

    def _truth(self, node: ast.expr, deciding: ast.stmt | ast.expr, line: int) -> Fragment:
        if self._plain.is_plain(node):
            return NOTHING
        return self._at_most_one(deciding, _What(names=_CONVERT, run=operators.SCALAR, line=line))

    def _operator(self, node: ast.expr | ast.stmt, what: tuple[frozenset[str], frozenset[str]], operands: list[ast.expr]) -> Fragment:
        if any(self._plain.is_text(operand) for operand in operands) or all(self._plain.is_plain(operand) for operand in operands):
            return NOTHING
        return self._at_most_one(node, _What(names=what[0], run=what[1], odd=True))

    def _call(self, node: ast.Call, *, creates: bool = False) -> Fragment:
        """`creates`: what is called may be a class, whatever its name."""
        called = node.func
        before: list[Fragment] = []
        if isinstance(called, ast.Attribute):
            before = [self._value(called.value), self._load_attribute(called, called=True)]
        elif not isinstance(called, ast.Name):
            before = [self._value(called)]
        arguments = [self._value(argument) for argument in node.args]
        keywords = [self._value(keyword.value) for keyword in node.keywords]
        return self.builder.then(*before, *arguments, *keywords, self._calling(node, called, creates=creates))

    def _calling(self, node: ast.Call, called: ast.expr, *, creates: bool) -> Fragment:
        name = _terminal(called)
        line = _attribute_line(called) if isinstance(called, ast.Attribute) else node.lineno
        bare = isinstance(called, ast.Name)
        known = self._names.is_known(called)
        if bare and name in _SCALAR_TYPES:
            return self._any_number(node, _What(names=_CONVERT, run=operators.SCALAR, line=line))
        if bare and name in _COLLECTIONS:
            return self._any_number(node, _What(names=_ITERATE | {"keys"}, run=operators.UNBIND | operators.SCALAR, line=line))
        own = _root(called) in {"self", "cls"}
        if name in _CLASSES or (self._names.is_class(name) and not own):
            run = operators.ANY if name.endswith("Tensor") else frozenset[str]()
            return self._any_number(node, _What(names=_CREATE | {name}, run=run, line=line))
        if (name in _GENERATORS or self._names.is_generator(name)) and name not in self._called:
            return NOTHING
        if creates:
            return self._any_number(node, _What(names=_CREATE | {name}, strangers=True, line=line))
        anyone = not known and (own or not isinstance(called, ast.Attribute))
        what = _What(names=frozenset({name}), strangers=True, anyone=anyone, modules=not known, line=line)
        if self._reading is Reading.PLAIN or name in self._called:
            return self._at_most_one(node, what, least=1)
        return self._any_number(node, replace(what, run=operators.ANY))

    # Sites

    def _at_most_one(self, node: _Node, what: _What, *, least: int = 0) -> Fragment:
        """A site with one event, or with `least` 0 perhaps none."""
        return self.builder.site(what.site(node), may_pass=least == 0, repeats=False)

    def _any_number(self, node: _Node, what: _What) -> Fragment:
        """A site with no event or any number of them."""
        return self.builder.site(what.site(node), may_pass=True, repeats=True)


def _merged(a: dict[str, Exit], b: dict[str, Exit]) -> dict[str, Exit]:
    return {kind: a.get(kind, Exit()) | b.get(kind, Exit()) for kind in {**a, **b}}


def _terminal(called: ast.expr) -> str:
    """The last name of what is called, empty where it has none."""
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ""


def _root(node: ast.expr) -> str:
    """The name that a chain of attributes begins with, empty where it begins otherwise."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _attribute_line(node: ast.expr) -> int:
    """Where Python stands when it loads or calls an attribute: on the line of its name since 3.10, before on the first line."""
    return node.lineno if node.end_lineno == node.lineno else _NO_LINE


def _called_names(node: ast.expr) -> frozenset[str]:
    return frozenset(name for each in ast.walk(node) if isinstance(each, ast.Call) and (name := _terminal(each.func)))
