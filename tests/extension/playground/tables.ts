/**
 * Contents of views as the server sends them, from what a test wants to say of them.
 */
import type {
  DeviceIdle,
  Idle,
  Kernel,
  Kernels,
  LaunchStatistics,
  ModuleCost,
  ModuleReport,
  Operator,
  Operators,
  Sync,
  SyncCall,
  SyncGroup,
} from '../../../extension/server/views';
import type { StackFrame } from '../../../extension/server/wire';
import { cellText } from '../../../extension/webview/shared/table';
import type { Column } from '../../../extension/webview/shared/table';

export function frame(place: string, name = 'step', precision: StackFrame['precision'] = 'line'): StackFrame {
  const [file = '', line = '0'] = place.split(':');
  return { file, line: Number(line), function: name, precision };
}

export function operator(name: string, fields: Partial<Operator> = {}): Operator {
  return {
    name,
    input_shape: '',
    stack: [],
    backward: false,
    calls: 1,
    host_self_us: 0,
    host_total_us: 0,
    device_self_us: 0,
    device_total_us: fields.device_self_us ?? 0,
    tensor_cores_eligible: false,
    tensor_cores_self_percent: null,
    tensor_cores_total_percent: null,
    ...fields,
  };
}

export function operators(rows: readonly Operator[], fields: Partial<Operators> = {}): Operators {
  return { group_by: 'name', rows, unlinked_device_us: 0, ...fields };
}

export function kernel(name: string, fields: Partial<Kernel> = {}): Kernel {
  const { calls = 1, total_us = 0 } = fields;
  return {
    name,
    kind: 'kernel',
    family: 'other',
    operator: '',
    grid: '',
    block: '',
    registers: null,
    shared_memory_bytes: null,
    calls,
    total_us,
    mean_us: total_us / calls,
    min_us: total_us / calls,
    max_us: total_us / calls,
    blocks_per_sm: null,
    occupancy: null,
    tensor_cores: false,
    bytes: null,
    lines: [],
    more_lines: 0,
    no_line_calls: fields.lines === undefined ? calls : 0,
    no_line_us: fields.lines === undefined ? total_us : 0,
    ...fields,
  };
}

export function kernels(rows: readonly Kernel[], group_by: Kernels['group_by'] = 'name'): Kernels {
  return { group_by, rows, total_us: rows.reduce((sum, row) => sum + row.total_us, 0) };
}

export function module(name: string, parent: number, depth: number, fields: Partial<ModuleCost> = {}): ModuleCost {
  return {
    name,
    module_id: 0,
    parent,
    depth,
    file: '',
    line: 0,
    called_on: null,
    calls: 1,
    operators: 1,
    host_self_us: 0,
    host_total_us: 0,
    device_self_us: 0,
    device_total_us: 0,
    host_backward_self_us: 0,
    host_backward_total_us: 0,
    device_backward_self_us: 0,
    device_backward_total_us: 0,
    alloc_self_bytes: {},
    alloc_total_bytes: {},
    peak_self_bytes: {},
    peak_total_bytes: {},
    ...fields,
  };
}

export function modules(rows: readonly ModuleCost[], device_us = 0, device_outside_us = 0): ModuleReport {
  return { rows, device_us, device_outside_us };
}

const NO_CAUSES = { data_loading: 0, synchronisation: 0, host: 0, launch_latency: 0, between_kernels: 0, dependency: 0, unknown: 0 };

export function deviceIdle(device: string, busy_us: number, causes: Readonly<Record<string, number>>): DeviceIdle {
  const idle_us = Object.values(causes).reduce((sum, us) => sum + us, 0);
  return { device, total_us: busy_us + idle_us, busy_us, idle_us, gaps: 3, longest_gap_us: idle_us, causes: { ...NO_CAUSES, ...causes } };
}

const NO_SPREAD = { mean_us: 0, median_us: 0, p95_us: 0, max_us: 0 };

export function launches(fields: Partial<LaunchStatistics> = {}): LaunchStatistics {
  return {
    launches: 0,
    short: 0,
    long_calls: 0,
    long_delays: 0,
    call: NO_SPREAD,
    device: NO_SPREAD,
    delay: NO_SPREAD,
    kernels: [],
    ...fields,
  };
}

export function idle(fields: Partial<Idle> = {}): Idle {
  return { devices: [], lines: [], queues: [], launches: launches(), notices: [], ...fields };
}

export function syncCall(cause: string, wait_us: number, fields: Partial<SyncCall> = {}): SyncCall {
  return { call: 'cudaMemcpyAsync', cause, operator: '', start_us: 0, wait_us, backward: false, frame: null, ...fields };
}

export function syncGroup(cause: string, wait_us: number, fields: Partial<SyncGroup> = {}): SyncGroup {
  return { cause, call: 'cudaMemcpyAsync', frame: null, calls: 1, wait_us, max_us: wait_us, ...fields };
}

export function sync(calls: readonly SyncCall[], lines: readonly SyncGroup[], kinds: readonly SyncGroup[]): Sync {
  return { wait_us: calls.reduce((sum, call) => sum + call.wait_us, 0), count: calls.length, calls, lines, kinds, notices: [] };
}

/** What a table shows of a row in one of its columns. */
export function shown<R>(columns: readonly Column<R>[], id: string, row: R | undefined): string {
  const column = columns.find((one) => one.id === id);
  if (column === undefined || row === undefined) {
    throw new Error(`there is no ${column === undefined ? `column ${id}` : 'row'}`);
  }
  return cellText(column, row);
}
