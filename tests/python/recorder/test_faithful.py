"""The program sees what it would see without us: compared, item by item, with a plain run of the same script by the same interpreter."""

import json
import subprocess

import pytest

from recorder.pythons import RECORDER

LOOK = """
import json, os, sys
early = sorted(name for name in os.environ if "KINETO" in name)
import torch
import pickle, signal, threading, traceback

class Pickled:
    pass

def shape(value):
    return type(value).__name__ if not isinstance(value, (str, int, type(None), list)) else value

main = sys.modules["__main__"]
seen = {
    "argv": sys.argv,
    "orig_argv": getattr(sys, "orig_argv", [])[1:],
    "path": sys.path,
    "cwd": os.getcwd(),
    "name": __name__,
    "main": {key: shape(value) for key, value in vars(main).items() if key.startswith("__")},
    "main is this": vars(main) is globals(),
    "file": __file__,
    "stdin": sys.stdin.read(),
    "pickle": pickle.loads(pickle.dumps(Pickled())).__class__ is Pickled,
    "threads": [thread.name for thread in threading.enumerate()],
    "environment": early + sorted(name for name in os.environ if "KINETO" in name),
    "hook": sys.excepthook is sys.__excepthook__,
    "sigint": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    "modules": sorted(name for name in sys.modules if name.split(".")[0] == "kinetoscope"),
    "finders": len(sys.meta_path),
    "frames": [frame.name for frame in traceback.extract_stack()][-1:],
}
print(json.dumps(seen))
"""


def run(command, cwd, **keywords):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, input="a line\n", **keywords)


@pytest.fixture
def scripts(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "look.py").write_text(LOOK)
    (tmp_path / "sub" / "__init__.py").write_text("")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text(LOOK)
    return tmp_path


@pytest.mark.parametrize("target", [["sub/look.py"], ["-m", "sub.look"], ["app"]], ids=["script", "module", "folder"])
def test_what_the_program_sees(scripts, python, target):
    words = ["--epochs", "3", "-m", "--out", "x"]
    plain = run([python, *target, *words], scripts)
    recorded = run([python, str(RECORDER), "--out", str(scripts / "runs"), *target, *words], scripts)
    assert plain.returncode == 0, plain.stderr
    assert json.loads(recorded.stdout) == json.loads(plain.stdout), recorded.stderr


def test_started_as_a_module_it_is_the_same(scripts, python):
    if run([python, "-c", "import kinetoscope"], scripts).returncode:
        pytest.skip("kinetoscope is not installed in this interpreter")
    plain = run([python, "sub/look.py"], scripts)
    recorded = run([python, "-m", "kinetoscope.recorder", "--out", str(scripts / "runs"), "sub/look.py"], scripts)
    assert json.loads(recorded.stdout) == json.loads(plain.stdout), recorded.stderr


ERRORS = {
    "chained": "def f():\n    try:\n        {}['a']\n    except KeyError as error:\n        raise ValueError('x') from error\nf()\n",
    "syntax": "x = (\n",
    "exit text": "raise SystemExit('bye')\n",
    "exit number": "import sys\nsys.exit(300)\n",
    "own hook": "import sys\nsys.excepthook = lambda kind, error, tb: print('hook', kind.__name__, tb.tb_frame.f_code.co_name)\n1 / 0\n",
    "interrupt": "raise KeyboardInterrupt\n",
    "in a thread": "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\nraise SystemExit(3)\n",
    "recursion": "def f(): f()\ntry:\n    f()\nexcept RecursionError:\n    raise SystemExit(2)\n",
}


@pytest.mark.parametrize("error", sorted(ERRORS))
def test_errors_without_torch_are_the_programs_own(tmp_path, python, error):
    script = tmp_path / "script.py"
    script.write_text(ERRORS[error])
    plain = run([python, "script.py"], tmp_path)
    recorded = run([python, str(RECORDER), "--out", str(tmp_path / "runs"), "script.py"], tmp_path)
    assert recorded.returncode == plain.returncode
    assert recorded.stdout == plain.stdout
    theirs = [line for line in recorded.stderr.splitlines() if not line.startswith("kinetoscope:")]
    assert theirs == plain.stderr.splitlines()
    assert not (tmp_path / "runs").exists()


def test_an_error_below_our_hooks_shows_no_frame_of_ours(record, plain):
    done = record(
        """
        class Broken(torch.optim.SGD):
            def step(self, closure=None):
                raise ValueError("broken")
        Broken(model.parameters(), lr=0.1).step()
        """
    )
    without = plain()
    assert done.code == without.returncode == 1
    assert done.err.startswith(without.stderr)


def test_variables_set_before_torch_is_imported_are_obeyed(record):
    done = record(
        """
        import os, sys
        assert "torch" not in sys.modules
        os.environ["OMP_NUM_THREADS"] = "1"
        import torch
        print(torch.get_num_threads())
        """,
        preamble=False,
    )
    assert done.out == "1\n"
    assert done.run["environment"]["OMP_NUM_THREADS"] == "1"
