"""Runs programs under the line log alone, without torch, on whatever Python runs this file; prints what was logged as JSON.

A program has a `main`, which is logged, and may have a `before`, which is called first.

Usage: python line_log_driver.py RECORDER_FOLDER PROGRAM.py …
"""

import importlib.util
import json
import sys
import threading


def load(folder):
    spec = importlib.util.spec_from_file_location("_recorder", folder + "/__init__.py", submodule_search_locations=[folder])
    package = importlib.util.module_from_spec(spec)
    sys.modules["_recorder"] = package
    spec.loader.exec_module(package)
    return importlib.import_module("_recorder.linelog")


KEPT_ALIVE = []


def logged(linelog, path):
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    namespace = {"__name__": "program", "threading": threading}
    KEPT_ALIVE.append(namespace)
    exec(code, namespace)
    if "before" in namespace:
        namespace["before"]()
    log = linelog.begin(linelog.UserCode(exclude=[__file__]))
    try:
        namespace["main"]()
    finally:
        log.stop()
    return {**log.export(), "notices": log.notices}


if __name__ == "__main__":
    module = load(sys.argv[1])
    print(json.dumps({path: logged(module, path) for path in sys.argv[2:]}))
