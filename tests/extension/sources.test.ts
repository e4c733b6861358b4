/**
 * What an answer to "where is this file?" means, and the setting that says the same by hand.
 */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathMappings } from '../../extension/settings';
import { fileName, sameName, wholePrefix, withAnswer } from '../../extension/sources/prefix';
import { parseSysPath, SYS_PATH } from '../../extension/sources/sysPath';
import { run } from '../../extension/python/process';
import { onPath } from '../../extension/python/locate';

describe('one answer is of the whole prefix', () => {
  test.each([
    // recorded, chosen → remote root, local root
    ['/cluster/job/src/train.py', '/home/me/repo/src/train.py', '/cluster/job', '/home/me/repo'],
    ['/cluster/job/train.py', '/here/train.py', '/cluster/job', '/here'],
    ['/here/a.py', '/mnt/here/a.py', '/', '/mnt'],
    ['train.py', '/here/examples/train.py', '', '/here/examples'],
    ['pkg/model.py', '/here/src/pkg/model.py', '', '/here/src'],
    ['old/pkg/model.py', '/here/pkg/model.py', 'old', '/here'],
    ['v2/../t.py', '/here/t.py', '', '/here'],
    ['C:\\Users\\me\\job\\src\\train.py', '/home/me/src/train.py', 'C:\\Users\\me\\job', '/home/me'],
    ['C:\\job\\SRC\\train.py', '/home/me/src/train.py', 'C:\\job\\SRC', '/home/me/src'],
    ['C:\\job\\train.py', '/home/me/Train.py', 'C:\\job\\train.py', '/home/me/Train.py'],
    ['C:/job/src/train.py', '/home/me/src/train.py', 'C:/job', '/home/me'],
    ['pkg\\model.py', '/here/src/pkg/model.py', '', '/here/src'],
    ['\\\\host\\share\\job\\train.py', '/here/train.py', '\\\\host\\share\\job', '/here'],
    ['/cluster/job/src/train.py', 'D:\\work\\Src\\train.py', '/cluster/job', 'D:\\work'],
    // Another name: this file alone, whole to whole.
    ['/cluster/job/train.py', '/code/main.py', '/cluster/job/train.py', '/code/main.py'],
    ['train.py', '/code/main.py', 'train.py', '/code/main.py'],
    ['/cluster/Train.py', '/here/train.py', '/cluster/Train.py', '/here/train.py'],
  ])('%s is %s', (recorded, chosen, remote_root, local_root) => {
    expect(wholePrefix(recorded, chosen)).toEqual({ remote_root, local_root });
  });

  test('names are of whatever system they look like', () => {
    expect(fileName('C:\\job\\train.py')).toBe('train.py');
    expect(fileName('/job/a\\b.py')).toBe('a\\b.py');
    expect(sameName('C:\\job\\Train.py', '/here/train.py')).toBe(true);
    expect(sameName('/job/Train.py', '/here/train.py')).toBe(false);
  });

  test('a new answer replaces the old one about the same prefix and comes first', () => {
    const answers = [
      { remote_root: '/a', local_root: '/x' },
      { remote_root: '', local_root: '/y' },
    ];
    expect(withAnswer(answers, { remote_root: '', local_root: '/z' })).toEqual([{ remote_root: '', local_root: '/z' }, answers[0]]);
  });
});

describe('kinetoscope.pathMappings', () => {
  const known = { workspaceFolder: path.resolve('/here/project'), home: '/home/me', env: { DATA: '/data' } };
  const read = (value: unknown, where: Parameters<typeof pathMappings>[1] = known) =>
    pathMappings({ get: <T>(_: string, fallback: T) => (value === undefined ? fallback : (value as T)) }, where);

  test('local roots may use variables and be relative to the workspace folder, remote roots stay as they are', () => {
    const setting = [
      { localRoot: '${workspaceFolder}/src', remoteRoot: 'C:\\job' },
      { localRoot: 'lib', remoteRoot: '/cluster/${workspaceFolder}' },
      { localRoot: '~/code', remoteRoot: '' },
      { localRoot: '${env:DATA}', remoteRoot: '/d ' },
    ];
    expect(read(setting)).toEqual([
      { remote_root: 'C:\\job', local_root: path.resolve('/here/project/src') },
      { remote_root: '/cluster/${workspaceFolder}', local_root: path.resolve('/here/project/lib') },
      { remote_root: '', local_root: path.resolve('/home/me/code') },
      { remote_root: '/d', local_root: path.resolve('/data') },
    ]);
  });

  test('what is no mapping, or leads nowhere, is left out', () => {
    expect(read(undefined)).toEqual([]);
    expect(read('nonsense')).toEqual([]);
    expect(read([null, 7, {}, { localRoot: '/a' }, { remoteRoot: '/b' }, { localRoot: '${env:NONE}', remoteRoot: '/c' }])).toEqual([]);
    expect(read([{ localRoot: 'relative', remoteRoot: '/c' }], { home: '/home/me', env: {} })).toEqual([]);
  });
});

describe('the interpreter’s sys.path', () => {
  test('is what the interpreter says, absolute entries only', async () => {
    const [python] = onPath(['python3', 'python']);
    const { stdout } = await run(python ?? 'python3', ['-I', '-c', SYS_PATH]);
    expect(parseSysPath(stdout).some((entry) => /python3/i.test(entry))).toBe(true);
    expect(parseSysPath('["", "relative", "/usr/lib", 3]')).toEqual(['/usr/lib']);
  });

  test('and nothing where the answer is not one', () => {
    expect(parseSysPath('Traceback (most recent call last):')).toEqual([]);
    expect(parseSysPath('{"a": 1}')).toEqual([]);
  });
});
