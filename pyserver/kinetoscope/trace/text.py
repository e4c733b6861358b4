"""Text as people read it. Lines are as Python and editors count them: ended by LF, CRLF or CR only.

`str.splitlines` also breaks at form feeds, U+2028 and others, which would put every later number on a wrong line.
"""

from __future__ import annotations

import re

_LINE_END = re.compile(r"\r\n|\r|\n")


def split_lines(text: str) -> list[str]:
    """Lines without their ends. A text that ends with a line end has one empty line more, as in an editor."""
    return _LINE_END.split(text) if "\r" in text else text.split("\n")


def one_line(json_text: str) -> str:
    """JSON of numbers as people write it, `[132, 1, 1]`, however the trace broke it into lines."""
    return "".join(json_text.split()).replace(",", ", ")
