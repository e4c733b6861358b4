// Generated from the views of pyserver/kinetoscope/service/views.py by scripts/generate_wire.py. Change their structs and run
// `python scripts/generate_wire.py`; `npm run check` fails while this file is stale.

import type { Precision, StackFrame } from './wire';

/** The view's table. `categories` are means over the steps. */
export interface Overview {
  readonly configuration: Configuration;
  readonly steps: StepTimes;
  readonly categories: readonly Category[];
  readonly devices: readonly DeviceSummary[];
  readonly bound: Bound;
}

/** `rows`: largest device self time first, then host self time. The self times of `rows` and the unlinked sum to all device time. */
export interface Operators {
  readonly group_by: 'line' | 'name' | 'shape' | 'stack';
  readonly rows: readonly Operator[];
  /** Device time of kernels, copies and fills whose operator is not known. */
  readonly unlinked_device_us: number;
}

/** `rows`: largest total first; their totals sum to `total_us`. */
export interface Kernels {
  readonly group_by: 'launch' | 'name';
  readonly rows: readonly Kernel[];
  readonly total_us: number;
}

/** All modules of one rank; no rows where the trace has no module frames. */
export interface ModuleReport {
  readonly rows: readonly ModuleCost[];
  /** All device time: the sum of `device_self_us`, `device_backward_self_us` and `device_outside_us`. */
  readonly device_us: number;
  /** Of work that belongs to no module. */
  readonly device_outside_us: number;
}

/** Only frames with a weight, own or below. */
export interface StackTree {
  readonly by: 'line' | 'module' | 'operator' | 'python';
  readonly metric: 'cpu' | 'gpu' | 'memory';
  readonly unit: 'bytes' | 'ns';
  /** The sum of all `weight_self`. */
  readonly total: number;
  readonly nodes: readonly StackNode[];
}

/** No devices where the trace was recorded without memory. */
export interface MemoryReport {
  readonly devices: readonly DeviceMemoryReport[];
}

/** `devices` by name; `lines` dearest first. */
export interface Idle {
  readonly devices: readonly DeviceIdle[];
  readonly lines: readonly LineIdle[];
  readonly queues: readonly StreamQueue[];
  readonly launches: LaunchStatistics;
  readonly notices: readonly string[];
}

/**
 * `calls` in time order; `lines` (one for each line and cause) and `kinds` (one for each cause and call) dearest first. Each of the three
 * adds up to `wait_us`.
 */
export interface Sync {
  readonly wait_us: number;
  readonly count: number;
  readonly calls: readonly SyncCall[];
  readonly lines: readonly SyncGroup[];
  readonly kinds: readonly SyncGroup[];
  readonly notices: readonly string[];
}

/** `collectives` and `calls` by rank; `stragglers` by the wait they caused, empty where no collective was found on several ranks. */
export interface DistributedView {
  readonly backend: string;
  readonly world_size: number | null;
  readonly ranks: readonly RankSummary[];
  readonly steps: readonly RankStep[];
  readonly collectives: readonly CollectiveStats[];
  readonly calls: readonly CollectiveCall[];
  readonly stragglers: readonly Straggler[];
  readonly devices: readonly RankDevice[];
  readonly notices: readonly string[];
}

/** All findings, gravest first, and their lines, dearest first within a finding. */
export interface Advice {
  /** Steps that the numbers are a mean of; 0: they are of the whole recording or range. */
  readonly steps: number;
  /** Mean wall time of a step. */
  readonly step_us: number;
  readonly findings: readonly Finding[];
  readonly lines: readonly AdviceLine[];
  readonly notices: readonly string[];
}

/** `rank`, `world_size`: None where the trace does not say. `torch`, `python`: of our recordings, else empty. */
export interface Configuration {
  readonly device_type: 'CPU' | 'GPU';
  /** That worked or allocated. */
  readonly devices: readonly string[];
  readonly rank: number | null;
  readonly world_size: number | null;
  readonly backend: string;
  readonly torch: string;
  readonly python: string;
}

/**
 * `marked`: False where the trace has no steps (or the window none), so that the whole stands as one. `left_out`: steps at the end whose
 * device work was perhaps not all captured.
 */
export interface StepTimes {
  readonly count: number;
  readonly mean_us: number;
  readonly marked: boolean;
  readonly left_out: readonly string[];
  readonly each: readonly StepTime[];
}

/** Mean time a step of one role, and its share of the mean step. */
export interface Category {
  readonly name: string;
  readonly us: number;
  readonly percent: number;
}

/**
 * One device that ran kernels. Percentages are of the time from the first step's start to the last one's end; None where the trace does not
 * say.
 */
export interface DeviceSummary {
  /** As the trace numbers it. */
  readonly id: number;
  /** As torch calls it. */
  readonly device: string;
  readonly name: string;
  readonly memory_bytes: number | null;
  readonly compute_capability: string | null;
  readonly utilization: number;
  readonly sm_efficiency: number | null;
  readonly occupancy: number | null;
  readonly tensor_core_share: number | null;
}

/** `kind` is None where it can't be told; the evidence says why. */
export interface Bound {
  readonly kind: 'communication' | 'compute' | 'input' | 'memory' | 'overhead' | null;
  readonly evidence: string;
}

/** One group. Sums over its calls, microseconds; `*_total_us` count nested operators of the same group once. */
export interface Operator {
  readonly name: string;
  /** JSON text as the trace has it; empty where the group is of several or it was not recorded. */
  readonly input_shape: string;
  /**
   * Outermost first; grouped by stack all frames, by line the one of the line, else none. Backward operators are on the stack of their
   * forward operator.
   */
  readonly stack: readonly StackFrame[];
  /** Grouped by stack or line: of backward operators. Else False. */
  readonly backward: boolean;
  readonly calls: number;
  readonly host_self_us: number;
  readonly host_total_us: number;
  readonly device_self_us: number;
  readonly device_total_us: number;
  readonly tensor_cores_eligible: boolean;
  /** Of the time of the group's own kernels that spent on Tensor Cores; None where it has no kernels. */
  readonly tensor_cores_self_percent: number | null;
  readonly tensor_cores_total_percent: number | null;
}

/** One group of kernels, copies or fills. What the group does not have in common, or the trace does not say, is empty or None. */
export interface Kernel {
  readonly name: string;
  readonly kind: 'kernel' | 'memcpy' | 'memset';
  /** `gemm`, `convolution`, `attention`, … (`analysis/kernel_names.py`). */
  readonly family: string;
  /** That launched it; grouped by launch only, and empty where it is not known. */
  readonly operator: string;
  /** As JSON text; grouped by launch only, as are the three after it. */
  readonly grid: string;
  readonly block: string;
  /** Per thread. */
  readonly registers: number | null;
  readonly shared_memory_bytes: number | null;
  readonly calls: number;
  readonly total_us: number;
  readonly mean_us: number;
  readonly min_us: number;
  readonly max_us: number;
  /** Mean weighted by duration, of the calls that the trace says it of. */
  readonly blocks_per_sm: number | null;
  /** Likewise, percent. */
  readonly occupancy: number | null;
  readonly tensor_cores: boolean;
  /** Copied or set, in all. */
  readonly bytes: number | null;
  /** Dearest first, at most five. */
  readonly lines: readonly LaunchLine[];
  /** Not listed, forward and backward apart; their sums are what the listed and `no_line_*` leave of the group's. */
  readonly more_lines: number;
  /** Those that no line is known of: no launch was recorded, or no line of the user's code was open at it. */
  readonly no_line_calls: number;
  readonly no_line_us: number;
}

/**
 * One module instance below one caller. `*_self_*` is without the modules that it calls, `*_total_*` with them; what its operators cost is
 * its own. Times are microseconds, sizes bytes by device.
 */
export interface ModuleCost {
  /** As torch numbers instances of a class: `Linear_1`. */
  readonly name: string;
  readonly module_id: number;
  /** Row of the module that called it, -1 for none. Rows stand below their parents, dearest first. */
  readonly parent: number;
  readonly depth: number;
  /** Where its `forward` is defined; empty where that was not recorded. */
  readonly file: string;
  readonly line: number;
  /** The user's line that called it, of several the first one; None where none is known. */
  readonly called_on: StackFrame | null;
  readonly calls: number;
  /** Operators that it ran itself, without those within operators. */
  readonly operators: number;
  readonly host_self_us: number;
  readonly host_total_us: number;
  /** Of kernels that were launched while it ran. */
  readonly device_self_us: number;
  readonly device_total_us: number;
  /** Of backward operators whose forward operator it ran. */
  readonly host_backward_self_us: number;
  readonly host_backward_total_us: number;
  readonly device_backward_self_us: number;
  readonly device_backward_total_us: number;
  /** Allocated while it ran and in its backward operators. */
  readonly alloc_self_bytes: Readonly<Record<string, number>>;
  readonly alloc_total_bytes: Readonly<Record<string, number>>;
  /** The part of `alloc_self_bytes` that was alive at the device's peak. */
  readonly peak_self_bytes: Readonly<Record<string, number>>;
  readonly peak_total_bytes: Readonly<Record<string, number>>;
}

/** One frame below one caller. Weights are in the tree's unit. */
export interface StackNode {
  readonly name: string;
  /** Index of the caller, -1 for none. Nodes stand below their parents, dearest first. */
  readonly parent: number;
  readonly depth: number;
  readonly weight_self: number;
  readonly weight_total: number;
  /** Of frames of Python; else empty. */
  readonly file: string;
  readonly line: number;
  /** Of the line: `function` where it is that of the function's `def`; None where there is no line. */
  readonly precision: Precision | null;
}

/** One device's memory. */
export interface DeviceMemoryReport {
  readonly device: string;
  readonly curve: MemoryCurve;
  /** The largest 5000 of `blocks`, in time order. */
  readonly events: readonly MemoryEvent[];
  /** Blocks that were allocated or released in the window. */
  readonly blocks: number;
  /** By own increase, largest first; those without memory are left out. */
  readonly operators: readonly OperatorMemory[];
  /** None where nothing was allocated, or the trace has no addresses (torch 1.8 to 1.10). */
  readonly peak: Peak | null;
  /** What it is made up of over time; None where `peak` is. */
  readonly stack: MemoryStack | null;
}

/** One device: `busy_us` + `idle_us` = `total_us`; `causes`, which are disjoint, add up to `idle_us`. */
export interface DeviceIdle {
  readonly device: string;
  readonly total_us: number;
  readonly busy_us: number;
  readonly idle_us: number;
  readonly gaps: number;
  readonly longest_gap_us: number;
  /** Cause → microseconds, each of `analysis.idle.CAUSES`. */
  readonly causes: Readonly<Record<string, number>>;
}

/** The host's part of idle time that was spent on one line. `idle_us` is the sum of the other three, and `gpu_idle_us` of `lines`. */
export interface LineIdle {
  /** None for what no user line is known of. */
  readonly frame: StackFrame | null;
  readonly idle_us: number;
  readonly data_loading_us: number;
  readonly synchronisation_us: number;
  readonly host_us: number;
}

/**
 * How many launches of a stream were called and not yet done. `mean` and `most` are of equal parts of the time from `start_us` to `end_us`
 * (trace time).
 */
export interface StreamQueue {
  readonly device: string;
  readonly stream: number;
  readonly start_us: number;
  readonly end_us: number;
  readonly mean_length: number;
  readonly max_length: number;
  readonly empty_us: number;
  /** With `FULL_QUEUE` or more. */
  readonly full_us: number;
  readonly mean: readonly number[];
  readonly most: readonly number[];
}

/**
 * Launches of kernels. `delay`: from the end of the call to the beginning of the work, 0 where it began before the call returned. `short`:
 * device work took less time than its call; then the host cannot keep the device busy with such launches.
 */
export interface LaunchStatistics {
  readonly launches: number;
  readonly short: number;
  /** Calls above `LONG_CALL_US`. */
  readonly long_calls: number;
  /** Delays above `LONG_DELAY_US`: the device lags behind the host, which is good unless something waits for the result. */
  readonly long_delays: number;
  readonly call: Spread;
  readonly device: Spread;
  readonly delay: Spread;
  /** By number of short launches, then of launches. */
  readonly kernels: readonly LaunchesOfKernel[];
}

/** One call. `start_us`: trace time; `cause`: what asked for it, in the user's words; `operator`: the innermost around it, or empty. */
export interface SyncCall {
  readonly call: string;
  readonly cause: string;
  readonly operator: string;
  readonly start_us: number;
  readonly wait_us: number;
  readonly backward: boolean;
  /** None where no user line is known. */
  readonly frame: StackFrame | null;
}

/** Calls of one line, or of one kind: `frame` is None and `cause`, `call` empty where they differ or are not known. */
export interface SyncGroup {
  readonly cause: string;
  readonly call: string;
  readonly frame: StackFrame | null;
  readonly calls: number;
  readonly wait_us: number;
  readonly max_us: number;
}

/**
 * The mean of a rank's steps, in microseconds, and which part of its communication was hidden behind computation (percent; None where it
 * had none).
 */
export interface RankSummary {
  readonly rank: number;
  readonly steps: number;
  readonly step_us: number;
  readonly computation_us: number;
  readonly overlap_us: number;
  readonly communication_us: number;
  readonly other_us: number;
  readonly transfer_us: number | null;
  readonly synchronising_us: number | null;
  readonly overlap_percent: number | null;
}

/**
 * One step of one rank. `computation_us` (alone) + `overlap_us` + `communication_us` (alone) + `other_us` = `step_us`. And `transfer_us` +
 * `synchronising_us` = `overlap_us` + `communication_us`; both are None where a collective of the step was not found on other ranks.
 */
export interface RankStep {
  readonly rank: number;
  readonly step: number;
  readonly name: string;
  readonly step_us: number;
  readonly computation_us: number;
  readonly overlap_us: number;
  readonly communication_us: number;
  readonly other_us: number;
  readonly transfer_us: number | null;
  readonly synchronising_us: number | null;
}

/**
 * The calls of one collective by one rank in one group. `total_bytes` and bandwidths are of the calls whose size is known, None where none
 * is; `transfer_us` is None unless all were found on the other ranks.
 */
export interface CollectiveStats {
  readonly rank: number;
  readonly name: string;
  readonly group: string;
  readonly group_description: string;
  readonly group_ranks: string;
  readonly group_size: number | null;
  readonly calls: number;
  readonly total_bytes: number | null;
  readonly mean_bytes: number | null;
  readonly total_latency_us: number;
  readonly mean_latency_us: number;
  readonly transfer_us: number | null;
  readonly mean_transfer_us: number | null;
  readonly algorithm_gb_per_s: number | null;
  readonly bus_gb_per_s: number | null;
}

/**
 * One call on one rank. `latency_us`: of its kernels, waiting included; `transfer_us`: without the waiting; `wait_us` the rest. Bandwidths
 * in GB/s are of the transfer, and where that is not known of the latency. `peer`: the rank that a message went to or came from. What is
 * not known is None.
 */
export interface CollectiveCall {
  readonly rank: number;
  readonly name: string;
  readonly group: string;
  readonly group_size: number | null;
  readonly peer: number | null;
  readonly dtype: string;
  readonly bytes: number | null;
  readonly start_us: number;
  readonly latency_us: number;
  readonly transfer_us: number | null;
  readonly wait_us: number | null;
  readonly algorithm_gb_per_s: number | null;
  readonly bus_gb_per_s: number | null;
  readonly backward: boolean;
  readonly frame: StackFrame | null;
}

/**
 * `late`: collectives to which the rank came last and at least one other waited; `caused_wait_us`: what all others waited for it;
 * `waited_us`: what it waited for others. `reasons` dearest first; there are none of a rank's first collective.
 */
export interface Straggler {
  readonly rank: number;
  readonly late: number;
  readonly caused_wait_us: number;
  readonly waited_us: number;
  readonly reasons: readonly LateReason[];
}

/** A device that a rank worked on; what the trace does not say is None. */
export interface RankDevice {
  readonly rank: number;
  readonly device: string;
  readonly name: string | null;
  readonly memory_bytes: number | null;
  readonly compute_capability: string | null;
}

/** `gain_us`: how much shorter a step can become at most, None where that can't be computed. */
export interface Finding {
  readonly id: string;
  readonly severity: 'high' | 'low' | 'medium';
  readonly title: string;
  /** What was seen, one sentence with its numbers. */
  readonly seen: string;
  readonly remedy: string;
  /** The official documentation. */
  readonly link: string;
  readonly evidence: readonly Evidence[];
  readonly gain_us: number | null;
  /** Of findings of several ranks: ids of those that one rank alone would get for the same time, and which are then left out. */
  readonly explains: readonly string[];
}

/** A line that a finding is about. */
export interface AdviceLine {
  /** `Finding.id` */
  readonly finding: string;
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly source: string;
  /** Of what was found, per step. */
  readonly calls: number;
  /** Time of what was found, per step. */
  readonly us: number;
  /** What the line owned of the peak; None in findings that are not of memory. */
  readonly bytes: number | null;
  /** In findings of several ranks, the one on which the line ran; else None. */
  readonly rank: number | null;
}

/** One step; the `us` of its categories sum to `us`, `percent` is of it. */
export interface StepTime {
  readonly number: number;
  readonly name: string;
  readonly start_us: number;
  readonly us: number;
  readonly categories: readonly Category[];
}

/** A line that launched calls of a group, and their time. */
export interface LaunchLine {
  /** `precision`: the weakest of all device work of the line. */
  readonly frame: StackFrame;
  /** Whether backward operators launched them; the line is then that of their forward operator. */
  readonly backward: boolean;
  readonly calls: number;
  readonly total_us: number;
}

/** Each point holds until the next. All are points of the trace, none is a mean. */
export interface MemoryCurve {
  /** Trace time. */
  readonly at_us: readonly number[];
  readonly allocated_bytes: readonly number[];
  /** Empty where the trace does not say. */
  readonly reserved_bytes: readonly number[];
  /** True where the trace has no totals: `allocated_bytes` then counts from 0 at the start of the recording. */
  readonly from_start: boolean;
  readonly peak_allocated_bytes: number;
  readonly peak_allocated_us: number;
  readonly peak_reserved_bytes: number | null;
  /** Allocations and releases in the window, of which the points are a part. */
  readonly events: number;
}

/** One block: allocated and released, each None where it was not recorded. */
export interface MemoryEvent {
  readonly bytes: number;
  readonly allocated_us: number | null;
  readonly released_us: number | null;
  /** The innermost operator that allocated it, as `caller (aten::empty)` for the empty tensors of others; empty where none did. */
  readonly operator: string;
  /** The line that allocated it, for backward work that of the forward operator; empty where it is not known. */
  readonly file: string;
  readonly line: number;
  /** Of the line; None where none is known. */
  readonly precision: Precision | null;
  /** Allocated in a backward operator. */
  readonly backward: boolean;
  readonly category: 'activation' | 'gradient' | 'optimizer state' | 'parameter' | 'temporary' | 'unknown';
}

/**
 * What operators of one name allocated on the device. `*_self_*` is without the operators that they call; an operator that calls one of its
 * own name counts once.
 */
export interface OperatorMemory {
  readonly name: string;
  /** As in the operators' own view. */
  readonly calls: number;
  /** Allocated less released. */
  readonly increase_self_bytes: number;
  readonly increase_total_bytes: number;
  readonly allocation_self_bytes: number;
  readonly allocation_total_bytes: number;
  readonly allocation_self_count: number;
  readonly allocation_total_count: number;
}

/** Who owns the peak of the recorded allocations. Each list, largest first, adds up to `recorded_bytes`. */
export interface Peak {
  readonly at_us: number;
  /** Allocated in the recording and alive at the peak. */
  readonly recorded_bytes: number;
  /** Allocated before the recording; None where the trace does not say. */
  readonly before_bytes: number | null;
  /** `name` is the line's function. */
  readonly lines: readonly Owner[];
  readonly operators: readonly Owner[];
  /** Innermost module; for backward work that of the forward operator. */
  readonly modules: readonly Owner[];
  /** `forward`, `backward`, `optimizer`, `other`. */
  readonly phases: readonly Owner[];
  readonly categories: readonly Owner[];
}

/** Of each kind the owners' curves at every moment add up to the bytes that were allocated in the recording and are alive then. */
export interface MemoryStack {
  /** Trace time of events after which this is so; the peak's is among them. */
  readonly at_us: readonly number[];
  /** Allocated before the recording; empty where the trace does not say. */
  readonly before_bytes: readonly number[];
  /** Of each kind those that ever have most, most first. */
  readonly lines: readonly OwnerCurve[];
  readonly operators: readonly OwnerCurve[];
  readonly modules: readonly OwnerCurve[];
  readonly phases: readonly OwnerCurve[];
  readonly categories: readonly OwnerCurve[];
}

/** Microseconds; all 0 where there is nothing. */
export interface Spread {
  readonly mean_us: number;
  readonly median_us: number;
  readonly p95_us: number;
  readonly max_us: number;
}

/** The launches of one kernel name. `short`: those whose device work took less time than their call. */
export interface LaunchesOfKernel {
  readonly name: string;
  readonly launches: number;
  readonly short: number;
  readonly call_mean_us: number;
  readonly device_mean_us: number;
  readonly delay_mean_us: number;
}

/**
 * `frame` is the line, or None where none is known; then `operator` says what it was. `on`: whether its device worked longer or its host
 * took longer. `excess_us`: how much longer than the other ranks, over all `collectives` that it made late.
 */
export interface LateReason {
  readonly frame: StackFrame | null;
  readonly operator: string;
  readonly on: 'device' | 'host';
  readonly collectives: number;
  readonly excess_us: number;
}

/**
 * One number that a finding rests on. Times, sizes and counts are per step (of the recording or the selected part, where that has no
 * steps).
 */
export interface Evidence {
  readonly name: string;
  readonly value: number;
  readonly unit: 'bytes' | 'count' | 'percent' | 'us';
}

/** What one line, operator, module, phase or category owns of the peak. Empty name (and file): not known. */
export interface Owner {
  readonly name: string;
  readonly bytes: number;
  readonly file: string;
  readonly line: number;
  /** Of a line: the weakest of what was added up. */
  readonly precision: Precision | null;
}

/** What one owner had at each moment. */
export interface OwnerCurve {
  /** Of a line its function. Empty where it is not known, and for the rest together. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** 1; for the rest together, which stands last, how many they are. */
  readonly owners: number;
  readonly bytes: readonly number[];
}

/** What each view of `kinetoscope/view` returns, by its name. */
export interface ViewContents {
  readonly overview: Overview;
  readonly operators: Operators;
  readonly 'operators-by-shape': Operators;
  readonly 'operators-by-stack': Operators;
  readonly 'operators-by-line': Operators;
  readonly kernels: Kernels;
  readonly 'kernels-by-launch': Kernels;
  readonly modules: ModuleReport;
  readonly stacks: StackTree;
  readonly 'stacks-gpu': StackTree;
  readonly 'stacks-cpu': StackTree;
  readonly 'stacks-memory': StackTree;
  readonly 'stacks-by-line': StackTree;
  readonly 'stacks-by-line-gpu': StackTree;
  readonly 'stacks-by-line-cpu': StackTree;
  readonly 'stacks-by-line-memory': StackTree;
  readonly 'stacks-by-module': StackTree;
  readonly 'stacks-by-module-gpu': StackTree;
  readonly 'stacks-by-module-cpu': StackTree;
  readonly 'stacks-by-module-memory': StackTree;
  readonly 'stacks-by-operator': StackTree;
  readonly 'stacks-by-operator-gpu': StackTree;
  readonly 'stacks-by-operator-cpu': StackTree;
  readonly 'stacks-by-operator-memory': StackTree;
  readonly memory: MemoryReport;
  readonly idle: Idle;
  readonly sync: Sync;
  readonly distributed: DistributedView;
  readonly advice: Advice;
  readonly 'advice-of-ranks': Advice;
}
