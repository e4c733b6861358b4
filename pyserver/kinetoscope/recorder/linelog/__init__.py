"""The line log: for user code, which line each thread executes and when. `begin` picks the means that this Python has."""

from __future__ import annotations

import sys

from .log import LineLog, Unavailable
from .usercode import CodeTable, UserCode

__all__ = ["LineLog", "UserCode", "begin"]


def begin(user: UserCode, wanted: bool = True) -> LineLog:
    """A started log, or one that logs nothing and says why."""
    if not wanted:
        return LineLog(CodeTable(user), "switched off")
    if sys.version_info >= (3, 12):
        from .monitoring import MonitoringLog as Means
    else:
        from .tracing import TracingLog as Means
    try:
        log = Means(CodeTable(user))
        log.start()
    except Unavailable as reason:
        log = LineLog(CodeTable(user), str(reason))
        log.notices["line-log-off"] = f"Lines were not logged: {reason}. Numbers are known by function at best."
    return log
