"""Which lines belong to one statement, so that a statement over several lines counts as one execution of each of its lines.

Python's line events jump back and forth within such a statement (arguments, then the call again).
"""

from __future__ import annotations

import ast


def statement_of_line(text: str | None) -> dict[int, int]:
    """Line → first line of the innermost statement it belongs to; of a compound statement only its header. Empty where the text
    does not parse."""
    if text is None:
        return {}
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    owner: dict[int, int] = {}
    for node in ast.walk(tree):  # breadth first: an inner statement overwrites the outer one's lines
        if not isinstance(node, ast.stmt):
            continue
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(d.lineno for d in decorators)])
        body = getattr(node, "body", None)
        last = max(node.lineno, body[0].lineno - 1) if body else (node.end_lineno or node.lineno)
        if last > first:
            owner.update(dict.fromkeys(range(first, last + 1), first))
    return owner
