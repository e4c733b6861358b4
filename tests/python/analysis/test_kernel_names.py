"""What kernels' names tell, by names as they stand in traces."""

from __future__ import annotations

import pytest

from kinetoscope.analysis.kernel_names import family_of, uses_tensor_cores

ATEN = "void at::native::"
KNOWN = [
    # name, family, Tensor Cores
    ("volta_sgemm_128x64_nn", "gemm", False),
    ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "gemm", True),
    ("turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_tn", "gemm", True),
    ("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", "gemm", True),
    ("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_execute_kernel__5x", "gemm", False),
    ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_kernel__5x_cublas", "gemm", True),
    ("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>", "gemm", True),
    ("void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>", "gemm", False),
    ("void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<MainloopSm90TmaGmmaWarpSpecialized<4>>>", "gemm", True),
    ("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT", "gemm", True),
    ("cutlass3x_sm100_tensorop_s256x256x16gemm_bf16_bf16_f32_void_bf16", "gemm", True),
    ("bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_schedP2x1x2x3_biasM_bN_tmaOpt_clmp_dynBatch_sm100f", "gemm", True),
    ("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT64x96x128_MI16x16x1_SN_LDSB1", "gemm", True),
    ("triton_tem_fused_addmm_relu_3", "gemm", False),
    ("volta_scudnn_128x64_relu_interior_nn_v1", "convolution", False),
    ("void cudnn::winograd_nonfused::winogradForwardFilter4x4<float, float>", "convolution", False),
    ("sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16", "convolution", True),
    ("igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x256x32_wt32x32x8", "convolution", True),
    ("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>", "attention", True),
    ("fmha_cutlassF_f32_aligned_64x64_rf_sm70(PyTorchMemEffAttention::Params)", "attention", False),
    ("fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::Params)", "attention", True),
    ("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext", "attention", True),
    ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3", "attention", True),
    (f"{ATEN}(anonymous namespace)::vectorized_layer_norm_kernel<float, float>", "norm", False),
    ("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>", "norm", False),
    (f"{ATEN}vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>", "elementwise", False),
    ("triton_poi_fused__scaled_dot_product_flash_attention_cat_transpose_view_10", "elementwise", False),
    ("triton_red_fused_native_layer_norm_16", "reduction", False),
    (f"{ATEN}reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float>>>", "reduction", False),
    ("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "communication", False),
    ("rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)", "communication", False),
    ("Memcpy HtoD (Pinned -> Device)", "copy", False),
    ("__amd_rocclr_copyBuffer", "copy", False),
    (f"{ATEN}elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)>", "copy", False),
    ("Memset (Device)", "fill", False),
    (f"{ATEN}(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<4>, FusedAdamMathFunctor<float>>", "optimizer", False),
    (f"{ATEN}(anonymous namespace)::cunn_SoftMaxForward<8, float>", "softmax", False),
    ("void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, int, int>>", "sort", False),
    (f"{ATEN}(anonymous namespace)::max_pool_forward_nchw<float, float>", "pooling", False),
    ("SubTensorOpWithScalar1d", "other", False),
    ("void summax_dimmax_lgamma(float*)", "other", False),
]


@pytest.mark.parametrize(("name", "family", "tensor_cores"), KNOWN)
def test_a_name_tells_the_family_and_the_use_of_tensor_cores(name: str, family: str, tensor_cores: bool) -> None:
    assert (family_of(name), uses_tensor_cores(name)) == (family, tensor_cores)


@pytest.mark.parametrize(
    "part",
    [
        *("h884", "s884", "h1688", "s1688", "hmma", "i8816", "16816", "dgrad_1x1_stride_2x2", "first_layer_wgrad_kernel", "conv1x1"),
        *("conv2d_c1_k1", "direct_group", "xmma_implicit_gemm", "xmma_sparse_conv", "xmma_warp_specialized_implicit_gemm", "xmma_gemm"),
        *("xmma_sparse_gemm", "c1688"),
    ],
)
def test_all_that_the_plugin_takes_for_tensor_cores_is_here(part: str) -> None:
    assert uses_tensor_cores(f"sm_{part}_nn")
