"""What is known of the process being recorded, fit to be kept: nothing that looks like a secret leaves this module."""

from __future__ import annotations

import os
import platform
import re
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Any

MASK = "***"
_CREDENTIAL = re.compile(
    r"(^|[-_.])(api[-_]?key|access[-_]?key|key|token|secret|password|passwd|pwd|credentials?|auth|cookie)($|[-_.])", re.IGNORECASE
)
_LOOKS_SECRET = re.compile(r"^(hf_|sk-|ghp_|gho_|github_pat_|glpat-|xox[abp]-|AKIA|eyJ)[\w.\-]{8,}")
_URL_WITH_PASSWORD = re.compile(r"(\w+://[^/\s:@]*):[^/\s@]+@")
_PREFIXES = (
    "CUDA_",
    "CUDNN_",
    "CUBLAS_",
    "NCCL_",
    "GLOO_",
    "OMP_",
    "MKL_",
    "KMP_",
    "GOMP_",
    "TORCH",
    "PYTORCH_",
    "TRITON_",
    "HIP_",
    "HSA_",
    "ROCR_",
    "KINETO_",
)
_NAMES = {
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "LOCAL_WORLD_SIZE",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "PYTHONHASHSEED",
    "MALLOC_CONF",
    "LD_PRELOAD",
}


def mask_value(text: str) -> str:
    """Passwords inside URLs and well-known token shapes are masked wherever they stand."""
    return MASK if _LOOKS_SECRET.match(text) else _URL_WITH_PASSWORD.sub(rf"\1:{MASK}@", text)


def mask_argv(argv: Sequence[str]) -> list[str]:
    """The words with values after credential-like names masked: `--token x`, `--api-key=x`, `password=x`."""
    masked: list[str] = []
    hide_next = False
    for word in argv:
        name, equals, _value = word.partition("=")
        is_credential = bool(_CREDENTIAL.search(name.lstrip("-")))
        if hide_next and not word.startswith("-"):
            masked.append(MASK)
            hide_next = False
        elif equals and is_credential:
            masked.append(name + "=" + MASK)
            hide_next = False
        else:
            masked.append(mask_value(word))
            hide_next = is_credential and word.startswith("-")
    return masked


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Only the variables that matter to performance."""
    return {
        name: MASK if _CREDENTIAL.search(name) else mask_value(value)
        for name, value in sorted(variables.items())
        if name in _NAMES or name.startswith(_PREFIXES)
    }


def sys_path(cwd: str) -> list[str]:
    return [os.path.normpath(os.path.join(cwd, entry)) for entry in sys.path]


def devices(torch: Any) -> list[dict[str, str]]:
    """The CPU and the accelerators that torch sees, without waking one up that the program has not used."""
    found = [{"name": cpu_name(), "kind": "cpu"}]
    for kind in ("cuda", "xpu"):
        backend = getattr(torch, kind, None)
        if backend is None or not getattr(backend, "is_initialized", lambda: False)():
            continue
        shown = "hip" if kind == "cuda" and getattr(torch.version, "hip", None) else kind
        found += [{"name": backend.get_device_name(index), "kind": shown} for index in range(backend.device_count())]
    mps = getattr(torch.backends, "mps", None)
    if mps is not None and mps.is_available():
        found.append({"name": platform.processor() or "Apple GPU", "kind": "mps"})
    return found


def cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def rank_and_world(torch: Any) -> tuple[int, int]:
    """From torch.distributed where it is initialised, else from torchrun's variables."""
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    try:
        return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    except ValueError:
        return 0, 1


def process_facts(torch: Any, cwd: str) -> dict[str, Any]:
    """The manifest's fields that describe process and machine."""
    rank, world_size = rank_and_world(torch)
    return {
        "argv": mask_argv(sys.argv),
        "cwd": cwd,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "platform": platform.platform(),
        "hostname": socket.gethostname(),
        "executable": sys.executable,
        "environment": environment(os.environ),
        "devices": devices(torch),
        "rank": rank,
        "world_size": world_size,
    }
