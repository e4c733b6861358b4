"""The timelines of threads without a line log, from the call stacks that torch itself recorded: Python events, else stacks on operators."""

from __future__ import annotations

from kinetoscope.linking.call_tree import CallTree, Timeline
from kinetoscope.linking.frame_functions import FrameFunctions, SourceOf
from kinetoscope.linking.inference import Inferred, infer_lines
from kinetoscope.linking.nesting import Nested
from kinetoscope.linking.op_stacks import OpStackReader
from kinetoscope.linking.places import FileNames
from kinetoscope.linking.python_stacks import PythonStackReader, known_call_lines
from kinetoscope.trace.columns import Bools, Trace


def stack_timelines(
    trace: Trace, tree: CallTree, logged: set[int], sources: SourceOf, operators: Bools, ops_nested: Nested, *, infer: bool
) -> dict[int, Timeline]:
    """Thread of the trace → timeline, for all threads with stacks but those in `logged`. `operators`: which ops are operators at all;
    `sources` are asked for the functions' first lines, and with `infer` for the lines inside them."""
    files = FileNames(trace.recording)
    functions = FrameFunctions(trace, files, sources)
    call_lines = known_call_lines(trace)
    inferred = infer_lines(trace, functions, operators, ops_nested, call_lines, logged) if infer else Inferred()
    found = PythonStackReader(trace, tree, files, functions, inferred).timelines(logged, call_lines)
    return found | OpStackReader(trace, tree, files).timelines(logged | set(found))
