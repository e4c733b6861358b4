"""What a kernel's name tells: its family, whether it communicates, and whether it computes on Tensor Cores (matrix cores on AMD).

The patterns are of names as they stand in traces of NVIDIA (Volta to Blackwell) and AMD devices: ATen, cuBLAS and cuBLASLt (`nvjet`),
cuDNN, CUTLASS 2 and 3, FlashAttention, Triton and Inductor, NCCL, RCCL, Tensile (`Cijk`), Composable Kernel, MIOpen. Families are tried in
order; all patterns are of the name in lower case.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from kinetoscope.trace.columns import Bools, Ints, distinct

COMMUNICATION, COPY, OTHER = "communication", "copy", "other"
COMPUTE_BOUND = frozenset({"gemm", "convolution", "attention"})
"""Families that do many operations a byte; the others move bytes."""

_FAMILIES: tuple[tuple[str, str], ...] = (
    (
        COMMUNICATION,
        (
            r"nccl|rccl|msccl|nvshmem|rocshmem|cross_device_reduce|(one|two)_?shot_all_?reduce|multimem_|all_?reduce_kernel"
            r"|allreduce_fusion|deep_?ep::|hccl|onecc[lt]"
        ),
    ),
    # Inductor says what kind a kernel is before it says which operators it fused.
    ("elementwise", r"^triton_(poi|for)_"),
    ("reduction", r"^triton_(red|per|mix)_"),
    (COPY, r"^memcpy|copybuffer|catarraybatchedcopy|direct_copy_kernel|nchwtonhwc|nhwctonchw|batched_transpose|reshape_and_cache"),
    ("fill", r"^memset|fillbuffer|fillfunctor|(?<!masked_)fill_kernel"),
    ("optimizer", r"multi_tensor_apply|fused_?adam|fused_?sgd|fused_?lamb"),
    ("elementwise", r"rotary|act_and_mul|upsample|quantize_"),
    ("index", r"embedding"),
    ("random", r"distribution_|dropout|randperm|curand|rocrand|bernoulli"),
    ("attention", r"flash|fmha|attention|attn|sdpa|paged_|\bmla_|_mla_|mha_"),
    ("norm", r"layer_?norm|rms_?norm|group_?norm|instance_?norm|batch_?norm|\bbn_(fw|bw)_|rowwisemoments|gammabeta|welford"),
    ("pooling", r"(max|avg|average)_?pool|pooling"),
    (
        "convolution",
        r"conv|scudnn|884cudnn|1688cudnn|16816cudnn|wgrad|dgrad|fprop|winograd|igemm_(fwd|bwd|wrw)|implicit_gemm|im2col|col2im|sp3asm",
    ),
    ("loss", r"nll_?loss|cross_?entropy"),
    ("softmax", r"softmax"),
    ("gemm", r"gemm|gemv|cijk_|nvjet|matmul|cublas|splitkreduce|dot_kernel|cutlass|xmma|triton_tem_|_mm_|\bbmm_|wvsplitk"),
    ("sort", r"sort|topk|bitonic|devicescan|scan_kernel|tensor_kernel_scan|cumsum"),
    ("index", r"index|gather|scatter|deviceselect|devicecompact|nonzero"),
    ("reduction", r"reduce|argmax|argmin"),
    ("elementwise", r"elementwise|pointwise|unrolled_|vectorized_|where_kernel"),
)
_FAMILY_PATTERNS = [(family, re.compile(pattern)) for family, pattern in _FAMILIES]

_PLAIN_CORES = re.compile(r"ffma|simt_|opclasssimt|miopenconv1x1")
"""Said by names that would else be thought to use Tensor Cores."""
_TENSOR_CORES = re.compile(
    # the shapes of the instructions in names of cuBLAS, cuDNN and CUTLASS: Volta, Turing, Ampere
    r"[hs]884|[hsc]1688|16816|i8816|i16832|hmma|(?<![a-z])[idb]mma"
    # what cuDNN of those years called its own
    r"|dgrad_1x1_stride_2x2|first_layer_wgrad_kernel|conv1x1|conv2d_c1_k1|direct_group"
    r"|xmma_(implicit_gemm|sparse_conv|warp_specialized_implicit_gemm|gemm|sparse_gemm|fprop|dgrad|wgrad)"
    # CUTLASS; Hopper and Blackwell
    r"|tensorop_|opclasstensorop|gmma|tmaumma|utcmma|tcgen05|nvjet|^bmm_.*_sm1[0-9]{2}"
    # attention
    r"|flash_(fwd|bwd)|flashattn(fwd|bwd)|fmha_[a-z0-9_]*sm(8|9|1)[0-9]+|fmha_cutlass[fb]_b?f16_aligned_[a-z0-9_]*sm7"
    r"|fmhasm(9|1)[0-9]+|sdpa_sm[0-9]+"
    # AMD: matrix instructions in Tensile, Composable Kernel, MIOpen
    r"|_mi(16|32|4)x|mfma|xdl|wmma|igemm_[a-z]+_gtcx|fmhafwd|fmhabwd|fmha_(fwd|bwd)_hd"
)


@lru_cache(4096)
def family_of(name: str) -> str:
    """The family of a kernel, `other` where the name tells none."""
    lower = name.lower()
    return next((family for family, pattern in _FAMILY_PATTERNS if pattern.search(lower)), OTHER)


@lru_cache(4096)
def uses_tensor_cores(name: str) -> bool:
    """Whether the name says so. A Triton kernel's never does, whatever it computes."""
    lower = name.lower()
    return bool(_TENSOR_CORES.search(lower)) and not _PLAIN_CORES.search(lower)


class KernelNames:
    """The same for all names of kernels in a trace: `family` and `tensor_cores` are indexed by the number of a name."""

    def __init__(self, names: list[str], used: Ints) -> None:
        self.family: list[str] = [OTHER] * len(names)
        self.tensor_cores: Bools = np.zeros(len(names), bool)
        for number in distinct(used):
            self.family[number] = family_of(names[number])
            self.tensor_cores[number] = uses_tensor_cores(names[number])

    def of_family(self, *families: str) -> Bools:
        """Which names are of these families."""
        return np.array([family in families for family in self.family], bool)
