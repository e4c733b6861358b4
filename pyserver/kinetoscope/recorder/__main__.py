"""Entry of `python PATH/recorder script.py` and of `python -m kinetoscope.recorder script.py`.

The package is loaded from its own folder under a private name, so that the profiled program finds neither a module of ours by a public name
nor our folder on `sys.path`. This file must stay readable for very old Pythons: they get a message with a remedy, not a SyntaxError.
"""

import os
import sys

PRIVATE_NAME = "_kinetoscope_recorder"
CANNOT_START = 3


def _main():
    if sys.version_info < (3, 9):
        sys.stderr.write(
            "kinetoscope: {0} is Python {1}; Kinetoscope records with Python 3.9 or later.\n"
            "kinetoscope: choose another interpreter, or make an environment with a newer Python and torch.\n".format(
                sys.executable, ".".join(str(part) for part in sys.version_info[:3])
            )
        )
        return CANNOT_START
    folder = os.path.dirname(os.path.abspath(__file__))
    own_name = __package__ or ""
    as_module = bool(own_name)
    if as_module:
        for name in [own_name, own_name.split(".")[0]]:
            sys.modules.pop(name, None)
    elif sys.path and os.path.abspath(sys.path[0]) == folder:
        del sys.path[0]

    import importlib.util

    spec = importlib.util.spec_from_file_location(PRIVATE_NAME, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[PRIVATE_NAME] = package
    spec.loader.exec_module(package)
    command = importlib.import_module(PRIVATE_NAME + ".command")
    return command.main(sys.argv[1:], as_module)


if __name__ == "__main__":
    sys.exit(_main())
