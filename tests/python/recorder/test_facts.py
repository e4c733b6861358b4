"""No secret gets into a run; nothing that matters to performance is left out of it."""

import importlib
import importlib.util
import io
import json
import sys

import pytest

from recorder.pythons import RECORDER


def load(name):
    if "_recorder_under_test" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "_recorder_under_test", RECORDER / "__init__.py", submodule_search_locations=[str(RECORDER)]
        )
        sys.modules["_recorder_under_test"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["_recorder_under_test"])
    return importlib.import_module(f"_recorder_under_test.{name}")


@pytest.mark.parametrize(
    ("argv", "kept"),
    [
        (["t.py", "--token", "abc", "--lr", "3"], ["t.py", "--token", "***", "--lr", "3"]),
        (["t.py", "--api-key=abc", "wandb_key=x"], ["t.py", "--api-key=***", "wandb_key=***"]),
        (["t.py", "--hf_token", "-v"], ["t.py", "--hf_token", "-v"]),
        (["t.py", "https://me:secret@host/x"], ["t.py", "https://me:***@host/x"]),
        (["t.py", "hf_abcdefghijklmnop"], ["t.py", "***"]),
        (["t.py", "--tokenizer", "bert", "--keyboard", "x"], ["t.py", "--tokenizer", "bert", "--keyboard", "x"]),
    ],
)
def test_values_after_names_of_credentials_are_masked(argv, kept):
    assert load("facts").mask_argv(argv) == kept


def test_only_variables_that_matter_are_kept():
    given = {
        "CUDA_VISIBLE_DEVICES": "0",
        "HOME": "/x",
        "AWS_SECRET_ACCESS_KEY": "s",
        "TORCH_HUB_TOKEN": "t",
        "OMP_NUM_THREADS": "4",
        "RANK": "1",
    }
    kept = load("facts").environment(given)
    assert kept == {"CUDA_VISIBLE_DEVICES": "0", "OMP_NUM_THREADS": "4", "RANK": "1", "TORCH_HUB_TOKEN": "***"}


@pytest.mark.parametrize("trace", ['{"a": 1, "traceEvents": []}', " {}", '\n[{"name": "x"}]'])
def test_the_recording_becomes_the_first_key_of_any_trace(trace):
    target = io.BytesIO()
    load("saving").insert_recording(io.BytesIO(trace.encode()), target, {"format": 1})
    read = json.loads(target.getvalue())
    assert next(iter(read)) == "kinetoscope"
    original = json.loads(trace)
    assert {**read, "kinetoscope": 0} == {"kinetoscope": 0, **(original if isinstance(original, dict) else {"traceEvents": original})}


def test_a_trace_that_torch_did_not_finish_is_no_run(tmp_path):
    saving, messages = load("saving"), load("messages")

    def cut_off(path):
        with open(path, "w") as file:
            file.write('{"traceEvents": [')

    with pytest.raises(messages.Problem, match="could not be saved"):
        saving.save_run(str(tmp_path / "runs"), "x", {"run": {"rank": 0}}, cut_off)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [".gitignore"]


def test_the_recorders_version_is_the_distributions():
    import kinetoscope

    assert load("version").__version__ == kinetoscope.__version__


class Backend:
    """As much of torch.cuda as its initialisation takes."""

    ready = False

    def is_initialized(self):
        return self.ready

    def _lazy_init(self):
        self.ready = True


def test_the_first_use_of_a_gpu_is_noticed_once_and_after_it_has_succeeded():
    torch = type("torch", (), {"cuda": Backend()})
    calls = []
    load("devices").after_initialisation(torch, lambda: calls.append(torch.cuda.ready))
    for _ in range(2):
        torch.cuda._lazy_init()
    assert calls == [True]
