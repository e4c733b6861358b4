"""A second reader of the line log, written against docs/run-format.md alone and as plainly as can be, to test the writer with."""

import base64
import struct
import zlib

KINDS = {1: "LINE", 2: "ENTER", 3: "LEAVE", 4: "RESET", 5: "DARK"}


def events(recording, thread):
    """`(t_ns, kind, code index, line)` of one thread."""
    data = zlib.decompress(base64.b64decode(thread["data"]))
    numbers = struct.unpack(f"<{len(data) // 8}q", data)
    assert len(numbers) == 2 * thread["count"]
    return [(t, KINDS[word & 15], word >> 36, word >> 4 & 0xFFFFFFFF) for t, word in zip(numbers[::2], numbers[1::2], strict=False)]


def walk(recording, thread):
    """The thread's story: `>name:line` for ENTER, `line` for LINE, `<` for LEAVE, `reset:n`, `dark`. Fails where stack and events disagree,
    or where time runs backwards. Events in a DARK stretch are left out, as the format says."""
    story, stack, latest, is_dark = [], [], 0, False
    for t, kind, code, line in events(recording, thread):
        name = recording["codes"][code]["name"].rpartition(".")[2] if recording["codes"] else ""
        assert t >= latest, "time runs backwards"
        latest = t
        if kind == "RESET":
            stack, is_dark = [], False
            story.append(f"reset:{line}")
        elif is_dark:
            continue
        elif kind == "DARK":
            is_dark = True
            story.append("dark")
        elif kind == "ENTER":
            stack.append(code)
            story.append(f">{name}:{line}")
        elif kind == "LINE":
            assert stack, "a line outside all frames"
            assert stack[-1] == code, "a line of a frame that is not innermost"
            story.append(str(line))
        else:
            assert stack, "more frames left than entered"
            assert stack.pop() == code, "a frame left that is not innermost"
            story.append("<")
    return story


def thread_named(recording, name):
    return next(thread for thread in recording["line_log"]["threads"] if thread["name"] == name)
