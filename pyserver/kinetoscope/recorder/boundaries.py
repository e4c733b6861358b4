"""Where one step of a program ends and the next begins, found without the program's help.

The anchor is the optimizer that steps; while there is none, the outermost module that is called again and again. A boundary lies
right after the anchor optimizer's `step()` has returned (post-hooks run inside torch's own `Optimizer.step#…` range and would cut
it off), or right before the anchor module's next call.
"""

from __future__ import annotations

import functools
import sys
import threading
import weakref
from typing import Any, Callable

OnBoundary = Callable[[str], None]
"""Gets the source of the step: `optimizer` or `module`."""
STEPS_TO_TAKE_OVER = 3


class StepFinder:
    """Hooks optimizers and modules. `on_boundary` is called in the stepping thread and may raise SystemExit; other exceptions are
    its own affair."""

    def __init__(self, torch: Any, on_boundary: OnBoundary, on_work: Callable[[], None] = lambda: None) -> None:
        self._torch = torch
        self._on_boundary = on_boundary
        self._on_work = on_work
        self._anchor: weakref.ref[Any] | None = None
        self._others: dict[int, int] = {}
        self._inside = threading.local()
        self._module_hook: Any = None
        self._root_hook: Any = None
        self._root_calls: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._is_on = True

    def install(self) -> None:
        self._hook_optimizers()
        self._hook_modules()

    def remove(self) -> None:
        """Find no more. The wrappers of `step` stay and only pass on."""
        self._is_on = False
        self._unhook_modules()

    # Optimizers

    def _hook_optimizers(self) -> None:
        """Wrap the method with which every optimizer, when it is made, patches its class's `step`."""
        from torch.optim import Optimizer

        name = "_patch_step_function" if hasattr(Optimizer, "_patch_step_function") else "_hook_for_profile"
        patch = getattr(Optimizer, name)

        @functools.wraps(patch)
        def patch_and_wrap(optimizer: Any) -> None:
            patch(optimizer)
            self._unhook_modules()
            if self._is_on:
                self._on_work()
            kind = type(optimizer)
            if not hasattr(kind.step, "_kinetoscope_wrapped"):
                kind.step = self._wrap(kind.step)

        setattr(Optimizer, name, patch_and_wrap)

    def _wrap(self, step: Any) -> Any:
        is_compiling = getattr(getattr(self._torch, "compiler", None), "is_compiling", lambda: False)
        inside = self._inside

        @functools.wraps(step)
        def stepped(*arguments: Any, **keywords: Any) -> Any:
            if is_compiling() or not self._is_on:
                return step(*arguments, **keywords)
            depth = getattr(inside, "depth", 0)
            inside.depth = depth + 1
            try:
                result = step(*arguments, **keywords)
            finally:
                inside.depth = depth
            if not depth:
                self._optimizer_stepped(arguments[0])
            return result

        stepped._kinetoscope_wrapped = True  # type: ignore[attr-defined]  # pyright: ignore
        return stepped

    def _optimizer_stepped(self, optimizer: Any) -> None:
        anchor = self._anchor() if self._anchor is not None else None
        if anchor is None or anchor is optimizer:
            if anchor is None:
                self._anchor = weakref.ref(optimizer)
            self._others.clear()
            self._on_boundary("optimizer")
            return
        steps = self._others[id(optimizer)] = self._others.get(id(optimizer), 0) + 1
        if steps >= STEPS_TO_TAKE_OVER:
            self._anchor = weakref.ref(optimizer)
            self._others.clear()
            self._on_boundary("optimizer")

    # Modules

    def _hook_modules(self) -> None:
        from torch.nn import Module
        from torch.nn.modules.module import register_module_forward_pre_hook

        call_code = Module._call_impl.__code__  # pyright: ignore[reportPrivateUsage]

        def before_any_module(module: Any, _inputs: Any) -> None:
            if self._module_hook is None or is_nested():
                return
            self._on_work()
            calls = self._root_calls.get(module, 0)
            self._root_calls[module] = calls + 1
            if calls:
                self._anchor_to_module(module)

        def is_nested() -> bool:
            """Whether another module's call is under way below the one that has called the hook."""
            frame: Any = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
            calls = 0
            while frame is not None and calls < 2:
                calls += frame.f_code is call_code
                frame = frame.f_back
            return calls > 1

        self._module_hook = register_module_forward_pre_hook(before_any_module)

    def _anchor_to_module(self, module: Any) -> None:
        """From now on hook this module alone: a global hook slows every module."""
        self._unhook_modules()
        self._root_hook = module.register_forward_pre_hook(lambda _module, _inputs: self._module_called())
        self._module_called()

    def _module_called(self) -> None:
        if self._is_on:
            self._on_boundary("module")

    def _unhook_modules(self) -> None:
        for hook in (self._module_hook, self._root_hook):
            if hook is not None:
                hook.remove()
        self._module_hook = self._root_hook = None
        self._root_calls.clear()
