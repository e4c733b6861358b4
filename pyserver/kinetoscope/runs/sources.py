"""Where a recorded file is on this machine now.

A recording names a file as its machine had it: absolute, maybe of another system (`C:\\…` on Linux), or cut at the longest entry of its
`sys.path` (`train.py`, `torch/nn/modules/linear.py`). These ways are tried in order, and the first that leads to a file answers:

| way | leads to |
|---|---|
| `mapping` | below the local root of the mapping with the longest remote root; a relative name below each local root |
| `located` | the same with what the user answered before |
| `recorded` | the recorded absolute path |
| `roots` | a relative name below the recorded working directory and `sys.path` |
| `workspace` | below a workspace folder: at the path relative to a recorded root, else any file there whose path ends alike |
| `interpreter` | below an entry of the `sys.path` of the interpreter here, for installed files |

Two different answers of one way are no answer, unless the text of exactly one fits what was profiled: nothing is guessed, and only files
that exist are returned. Names are untrusted text: one that leads out of its root by `..`, has a NUL or is too long leads nowhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Literal, NamedTuple

_WINDOWS = re.compile(r"^(?:[A-Za-z]:[\\/]|\\\\)")
_LONGEST = 4096
_PACKAGES = ("site-packages", "dist-packages")
_STANDARD_LIBRARY = re.compile(r"^python\d+\.\d+t?$")

How = Literal["mapping", "located", "recorded", "roots", "workspace", "interpreter"]

Fit = Literal["yes", "no", "unknown"]
"""Whether the text of a file here is that which was profiled, edited or not."""


class Found(NamedTuple):
    """The file, and by which way."""

    path: Path
    how: How


class Ambiguous(NamedTuple):
    """It may be one of these files, and nothing tells which; a single candidate is one that is not certain."""

    candidates: tuple[Path, ...]
    how: How


class Missing(NamedTuple):
    """It is nowhere; `tried` are the ways that this name and this machine allowed."""

    tried: tuple[How, ...]


Resolution = Found | Ambiguous | Missing

_Trust = Literal["sure", "likely", "doubtful"]
"""In the only file that a way leads to: it is taken, taken unless its text does not fit, taken only if its text fits."""


@dataclass(frozen=True)
class PathMapping:
    """What lay below `remote_root` when it was recorded lies below `local_root`. Either may name a single file. An empty `remote_root` is
    what relative names are relative to."""

    remote_root: str
    local_root: str


@dataclass(frozen=True)
class Roots:
    """What a recording says that names are relative to; empty for a trace that others recorded."""

    cwd: str = ""
    sys_path: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return (self.cwd, *self.sys_path)


class Named(NamedTuple):
    """The files of the workspace that have one name; `whole` is False where the search was cut short, so that there may be more."""

    files: tuple[Path, ...]
    whole: bool


@dataclass(frozen=True)
class Machine:
    """Where to look. `named` searches the workspace folders for a file name, in any case of its letters; None: it can't tell yet."""

    mappings: tuple[PathMapping, ...] = ()
    located: tuple[PathMapping, ...] = ()
    folders: tuple[Path, ...] = ()
    named: Callable[[str], Named | None] = lambda _: Named((), True)
    interpreter: tuple[Path, ...] = ()


class _Name(NamedTuple):
    """A path in parts, without `.` and `..`. `anchor` is empty for a relative one."""

    anchor: str
    parts: tuple[str, ...]
    windows: bool

    @property
    def keys(self) -> tuple[str, ...]:
        """The parts, so written that two names of one thing are equal."""
        return tuple(part.casefold() for part in self.parts) if self.windows else self.parts


def _pure(path: str) -> PurePath:
    windows = _WINDOWS.match(path) or ("\\" in path and not path.startswith("/"))
    return PureWindowsPath(path) if windows else PurePosixPath(path)


def _parse(path: str) -> _Name | None:
    """None for what can't be a file's path, or leads above where it starts."""
    if "\0" in path or len(path) > _LONGEST:
        return None
    pure = _pure(path)
    if pure.drive and not pure.root:
        return None  # `C:name` is relative to what only that machine knew.
    parts: list[str] = []
    for part in pure.parts[1:] if pure.anchor else pure.parts:
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        elif not pure.anchor:
            return None
    windows = isinstance(pure, PureWindowsPath)
    return _Name(pure.anchor.casefold() if windows else "/" if pure.anchor else "", tuple(parts), windows)


def canonical(path: str | Path) -> str:
    """The form of a path in which two names of the same file are equal."""
    return os.path.normcase(os.path.realpath(path))


def file_name(recorded: str) -> str:
    """The last part of a recorded path, whatever system it is from."""
    return _pure(recorded).name


def resolve(recorded: str, roots: Roots, machine: Machine, fit: Callable[[Path], Fit] = lambda _: "unknown") -> Resolution:
    """The file on this machine that was recorded as `recorded`. `fit` is asked of files that exist, where names alone don't decide."""
    name = _parse(recorded)
    if name is None or not name.parts:
        return Missing(())
    tried: list[How] = []
    for how, files, trust in _ways(recorded, name, roots, machine):
        tried.append(how)
        found = _distinct(files)
        chosen = _choose(found, trust, fit)
        if chosen is not None:
            return Found(chosen, how)
        if found:
            # Mappings come first, but the user may have answered just this question.
            answered = _distinct(_mapped(name, machine.located)) if how == "mapping" else []
            return Found(answered[0], "located") if len(answered) == 1 else Ambiguous(tuple(found), how)
    return Missing(tuple(dict.fromkeys(tried)))


def _choose(found: list[Path], trust: _Trust, fit: Callable[[Path], Fit]) -> Path | None:
    if len(found) == 1 and (trust == "sure" or (trust == "likely" and fit(found[0]) != "no")):
        return found[0]
    fitting = [path for path in found if fit(path) == "yes"]
    return fitting[0] if len(fitting) == 1 else None


def _ways(recorded: str, name: _Name, roots: Roots, machine: Machine) -> Iterator[tuple[How, list[Path], _Trust]]:
    """`(way, files that it leads to, trust in a single one)`, in order, for those that apply."""
    if machine.mappings:
        yield "mapping", _mapped(name, machine.mappings), "sure"
    if machine.located:
        yield "located", _mapped(name, machine.located), "sure"
    if name.anchor and _ours(recorded):
        yield "recorded", [Path(recorded)] if _is_file(Path(recorded)) else [], "sure"
    installed = _installed(name)
    if not name.anchor and any(roots.all):
        yield "roots", [path for root in roots.all if _ours(root) for path in _below(Path(root), name.parts)], "sure"
    if machine.folders:
        relatives = [name.parts] if not name.anchor and any(roots.all) else _relatives(name, roots.all)
        yield "workspace", [path for parts in relatives for folder in machine.folders for path in _below(folder, parts)], "sure"
        yield "workspace", *_searched(name, installed, machine)
    if machine.interpreter and installed is not None:
        # The first is the one that an import there would take.
        yield "interpreter", [path for root in machine.interpreter for path in _below(root, installed)][:1], "sure"


def _ours(path: str) -> bool:
    """True for an absolute path of this system. Never for a network share, which merely to look at would tell its host who we are."""
    return os.path.isabs(path) and not (os.name == "nt" and path.replace("/", "\\").startswith("\\\\"))


def _mapped(name: _Name, mappings: Sequence[PathMapping]) -> list[Path]:
    """Files below the local roots of the mappings with the longest remote root that lead to any."""
    by_length: dict[int, list[Path]] = {}
    for mapping in mappings:
        remote = _parse(mapping.remote_root)
        if remote is not None and mapping.local_root:
            rest = _rest(name, remote)
            if rest is not None:
                by_length.setdefault(len(remote.parts), []).extend(_below(Path(mapping.local_root), rest))
    for _, files in sorted(by_length.items(), reverse=True):
        if files:
            return files
    if name.anchor:
        return []
    return [path for mapping in mappings if mapping.local_root for path in _below(Path(mapping.local_root), name.parts)]


def _rest(name: _Name, root: _Name) -> tuple[str, ...] | None:
    """The parts of `name` below `root`; None where it isn't below."""
    if name.anchor != root.anchor or (name.anchor and name.windows != root.windows):
        return None
    length = len(root.parts)
    same = name.keys[:length] == (tuple(part.casefold() for part in root.parts) if name.windows else root.parts)
    return name.parts[length:] if same else None


def _relatives(name: _Name, roots: Iterable[str]) -> list[tuple[str, ...]]:
    """The parts of an absolute name below each recorded root that holds it."""
    found: list[tuple[str, ...]] = []
    for text in roots:
        root = _parse(text) if text else None
        rest = _rest(name, root) if root is not None and root.anchor else None
        if rest and rest not in found:
            found.append(rest)
    return found


def _installed(name: _Name) -> tuple[str, ...] | None:
    """What an installed file's name is relative to `sys.path`; None for an absolute name of another kind."""
    if not name.anchor:
        return name.parts
    for index in range(len(name.parts) - 2, 0, -1):
        part, above = name.parts[index], name.parts[index - 1]
        library = above in ("lib", "lib64") and _STANDARD_LIBRARY.match(part)
        if part in _PACKAGES or library or (name.windows and part == "Lib"):
            return name.parts[index + 1 :]
    return None


def _searched(name: _Name, installed: tuple[str, ...] | None, machine: Machine) -> tuple[list[Path], _Trust]:
    """Files of the workspace whose path ends like the name: `(files, trust in a single one)`.

    Of a relative name, and of what was installed, all parts must be there, for the folder they are relative to may be any. Of another
    absolute name the most trailing parts win, which are trusted from two on; `__init__.py` says as little as its folder alone.
    """
    named = machine.named(name.parts[-1])
    if named is None:
        return [], "doubtful"  # A file that lies in a workspace folder itself may be one of several.
    if installed is None:
        lengths = {path: _common(path, name.parts, name.windows) for path in named.files if _is_file(path)}
        most = max(lengths.values(), default=0)
        found = [path for path, length in lengths.items() if length == most > 0]
        trusted = most >= (3 if name.parts[-1].startswith("__") else 2)
    elif name.anchor and len(installed) == 1:
        return [], "doubtful"  # A module without a package: its name alone says nothing.
    else:
        found = [path for path in named.files if _common(path, installed, name.windows) == len(installed) and _is_file(path)]
        found += [path for folder in machine.folders for path in _below(folder, installed)]
        trusted = len(installed) > 1 or any(path.parent in machine.folders for path in found)
    return found, "likely" if trusted and named.whole else "doubtful"


def _common(path: Path, parts: tuple[str, ...], fold: bool) -> int:
    """How many trailing parts are the same."""
    count = 0
    for here, there in zip(reversed(path.parts), reversed(parts), strict=False):
        if here != there and not (fold and here.casefold() == there.casefold()):
            break
        count += 1
    return count


def _below(root: Path, parts: tuple[str, ...]) -> list[Path]:
    """The file at `parts` below the root, if there is one; the root itself where there are no parts. On Windows a part such as `..\\x` or
    `C:x` of a POSIX name would lead elsewhere: the joined path must have just these parts."""
    path = root.joinpath(*parts)
    return [path] if path.parts == (*root.parts, *parts) and _is_file(path) else []


def _distinct(files: Iterable[Path]) -> list[Path]:
    kept: dict[str, Path] = {}
    for path in files:
        kept.setdefault(canonical(path), path)
    return list(kept.values())


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False  # Names that no file can have: too long, a NUL inside.
