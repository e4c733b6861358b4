"""A call right after a module has been imported, by whoever imports it. The recorder must not import torch itself: the script may set
environment variables first that torch reads at its import."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Callable


class AfterImport(importlib.abc.MetaPathFinder):
    """Finds only `name`, by asking the other finders, and has `before` called before its execution and `after` when it is done."""

    def __init__(self, name: str, before: Callable[[], None], after: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._before = before
        self._after = after

    def install(self) -> None:
        sys.meta_path.insert(0, self)

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            self.install()
            return None
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module
            self._before()
            try:
                execute(module)
            except BaseException:
                self.install()
                raise
            self._after(module)

        loader.exec_module = exec_module
        return spec
