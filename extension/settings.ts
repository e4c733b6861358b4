/**
 * The settings `kinetoscope.*`, typed. They are read here only; package.json holds their defaults and descriptions.
 */
import * as path from 'node:path';
import type { InlineSettings, MetricSetting, PathMapping } from './server/wire';

/** The part of `vscode.WorkspaceConfiguration` that is needed: tests pass a plain object. */
export interface SettingsSource {
  get<T>(key: string, fallback: T): T;
}

export type ServerEnvironment = 'managed' | 'selected' | 'custom';

export interface ProfileSettings {
  readonly skipSteps: number;
  readonly recordSteps: number;
  readonly stacks: boolean;
  readonly shapes: boolean;
  readonly memory: boolean;
  readonly after: 'stop' | 'continue';
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export function profileSettings(source: SettingsSource): ProfileSettings {
  return {
    skipSteps: source.get('profile.skipSteps', 3),
    recordSteps: source.get('profile.recordSteps', 5),
    stacks: source.get('profile.stacks', false),
    shapes: source.get('profile.shapes', true),
    memory: source.get('profile.memory', true),
    after: source.get<ProfileSettings['after']>('profile.after', 'continue'),
    include: source.get<readonly string[]>('profile.include', []),
    exclude: source.get<readonly string[]>('profile.exclude', []),
  };
}

/** The inline settings as the server wants them. */
export function inlineSettings(source: SettingsSource): Required<InlineSettings> {
  return {
    enabled: source.get('inline.enabled', true),
    hints: source.get('inline.hints', true),
    code_lens: source.get('inline.codeLens', true),
    metric: source.get<MetricSetting>('inline.metric', 'auto'),
    value: source.get<'absolute' | 'percent' | 'both'>('inline.value', 'both'),
    per: source.get<'step' | 'run'>('inline.per', 'step'),
    threshold_percent: source.get('inline.threshold', 1),
    stale: source.get<'dim' | 'hide'>('inline.stale', 'dim'),
  };
}

/** Whether the server infers lines that a recording does not tell. */
export function infersLines(source: SettingsSource): boolean {
  return source.get('inferLines', true);
}

export function heatShown(source: SettingsSource): boolean {
  return source.get<boolean>('inline.enabled', true) && source.get<boolean>('inline.heat', true);
}

export function serverEnvironment(source: SettingsSource): { readonly kind: ServerEnvironment; readonly path: string } {
  return { kind: source.get<ServerEnvironment>('server.environment', 'managed'), path: source.get('server.path', '') };
}

/** Where paths of other machines are here. What is not a mapping, or leads nowhere, is left out. */
export function pathMappings(source: SettingsSource, known: Parameters<typeof expandVariables>[1]): PathMapping[] {
  const raw = source.get<unknown>('pathMappings', []);
  return (Array.isArray(raw) ? (raw as unknown[]) : []).flatMap((entry) => {
    const { localRoot, remoteRoot } = (entry ?? {}) as { localRoot?: unknown; remoteRoot?: unknown };
    const local = typeof localRoot === 'string' ? expandVariables(localRoot, known) : '';
    if (typeof remoteRoot !== 'string' || local === '' || !(path.isAbsolute(local) || known.workspaceFolder !== undefined)) {
      return [];
    }
    return [{ remote_root: remoteRoot.trim(), local_root: path.resolve(known.workspaceFolder ?? '', local) }];
  });
}

/** Replaces `${workspaceFolder}`, `${userHome}`, `${env:NAME}` and a leading `~`. What is unknown becomes empty, as VS Code does it. */
export function expandVariables(
  text: string,
  known: { workspaceFolder?: string | undefined; home: string; env: NodeJS.ProcessEnv },
): string {
  return text
    .trim()
    .replace(/^~(?=$|[\\/])/, known.home)
    .replaceAll('${workspaceFolder}', known.workspaceFolder ?? '')
    .replaceAll('${userHome}', known.home)
    .replaceAll(/\$\{env:([^}]+)\}/g, (_, name: string) => known.env[name] ?? '');
}
