/**
 * A frame's name for a small box: what is called comes first, where it stands after it, so that what is cut off is the least.
 */

/** Of the names that the profiler gives to Python frames; others stay as they are. */
export function labelOf(name: string): string {
  const frame = /^(.*)\((\d+)\): (.+)$/.exec(name);
  if (frame) {
    const [, path = '', line = '', called = ''] = frame;
    return `${called}  ${lastPart(path)}:${line}`;
  }
  const module = /^nn\.Module: (.+)$/.exec(name);
  if (module) {
    return `${module[1] ?? ''}  nn.Module`;
  }
  const builtIn = /^<built-in (?:method|function) (?:([\w.]+)|)(?: of (.*?))?(?: at 0x[0-9a-f]+)?>$/.exec(name);
  if (builtIn) {
    const [, called, of] = builtIn;
    const where = of === undefined || of.startsWith('type object') ? '' : ` of ${of.replace(/ object$/, '')}`;
    return called === undefined ? `built-in${where}` : `${called}  built-in${where}`;
  }
  const line = /^(.+) \((.+):(\d+)\)$/.exec(name);
  if (line) {
    const [, called = '', path = '', number = ''] = line;
    return `${called}  ${lastPart(path)}:${number}`;
  }
  return name;
}

function lastPart(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
