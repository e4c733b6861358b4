"""Torch's profiler, driven by hand: started and stopped by the recorder instead of by a `with` statement."""

from __future__ import annotations

from typing import Any

from .options import Options
from .recording import STEP_NAME


class Kineto:
    """One profiling with all activities that torch supports here. `start` and `stop` belong to one thread."""

    driving = False
    """True while we call into torch's profiler, so that our own calls are not taken for the script's."""

    def __init__(self, options: Options) -> None:
        from torch.profiler import profiler as torch_profiler

        self._profile: Any = torch_profiler._KinetoProfile(  # pyright: ignore[reportPrivateUsage]
            record_shapes=options.shapes, profile_memory=options.memory, with_stack=options.stacks
        )
        self._step: Any | None = None

    def prepare(self) -> None:
        """Everything that takes long (CUPTI's set-up), before the recording."""
        self._drive(self._profile.prepare_trace)

    def start(self) -> None:
        self._drive(self._profile.start_trace)

    def stop(self) -> None:
        self.close_step()
        self._drive(self._profile.stop_trace)

    def open_step(self, number: int) -> None:
        from torch.profiler import record_function

        self._step = record_function(STEP_NAME.format(number))
        self._step.__enter__()

    def close_step(self) -> None:
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None

    @property
    def results(self) -> Any:
        return self._profile.profiler.kineto_results

    def write(self, path: str) -> None:
        self._drive(lambda: self._profile.export_chrome_trace(path))

    @staticmethod
    def _drive(call: Any) -> None:
        Kineto.driving = True
        try:
            call()
        finally:
            Kineto.driving = False
