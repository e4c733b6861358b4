"""A trace whose names are markup and script. Shown as text they do nothing."""

from __future__ import annotations

from pathlib import Path

from support.kineto import TraceMaker
from support.runs import rich_trace

MARKUP = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"


def hostile_trace(project: Path) -> TraceMaker:
    """The rich trace, whose operators, kernels and annotations have markup in their names, and of each kind one event more whose name is
    nothing else."""
    maker = rich_trace(project)
    for event in maker.events:
        if event.get("ph") == "X" and not str(event["name"]).startswith(("ProfilerStep#", "cuda", "nn.Module", "kinetoscope")):
            event["name"] = f"{event['name']}{MARKUP}"
    maker.op(MARKUP, 700, 20).kernel(MARKUP, 705, 1900, 40)
    maker.frame(f"{MARKUP}.py(1): {MARKUP}", 600, 200)
    maker.event("user_annotation", MARKUP, 600, 100)
    return maker
