"""When a program's GPU may be touched.

Starting Kineto asks the GPU driver for its devices. Done before the program does so itself, that would fix `CUDA_VISIBLE_DEVICES` too
early and break CUDA in children that the program forks. So where there is a GPU, nothing is started before the program has begun to work.
"""

from __future__ import annotations

import functools
import glob
import sys
from collections.abc import Callable
from typing import Any

GPU_FILES = ("/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/kfd", "/dev/dxg", "/dev/dri/renderD*")


def may_have_gpu(torch: Any) -> bool:
    """Whether this torch could use a GPU here, found out without asking the driver."""
    if not (torch.version.cuda or getattr(torch.version, "hip", None) or getattr(torch.version, "xpu", None)):
        return False
    return not sys.platform.startswith("linux") or any(glob.glob(pattern) for pattern in GPU_FILES)


def after_initialisation(torch: Any, call: Callable[[], None]) -> None:
    """Have `call` called each time the program has initialised a kind of GPU; torch does that at its first use."""
    for kind in ("cuda", "xpu"):
        backend: Any = getattr(torch, kind, None)
        initialise = getattr(backend, "_lazy_init", None)
        if initialise is not None and not backend.is_initialized():
            _wrap(backend, initialise, call)


def _wrap(backend: Any, initialise: Callable[[], None], call: Callable[[], None]) -> None:
    @functools.wraps(initialise)
    def lazy_init() -> None:
        was_initialised = backend.is_initialized()
        initialise()
        if not was_initialised and backend.is_initialized():
            backend._lazy_init = initialise
            call()

    backend._lazy_init = lazy_init


def wait_for_devices(torch: Any) -> None:
    """Let work that was launched before a recording end before it, so that its kernels are not found without their launches."""
    for kind in ("cuda", "xpu"):
        backend = getattr(torch, kind, None)
        if backend is not None and hasattr(backend, "is_initialized") and backend.is_initialized():
            backend.synchronize()
