// The closing line of `npm test` sums all parts, and no failure is lost on the way.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { judged, junitCounts, summary, vitestCounts } from '../../scripts/lib/results.mjs';

let folder;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'results-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const file = (text) => {
  const name = path.join(folder, 'report');
  writeFileSync(name, text);
  return name;
};

test('errors of pytest count as failures', () => {
  const xml =
    '<?xml version="1.0"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="2" skipped="3" tests="10" time="1">';
  expect(junitCounts(file(xml))).toEqual({ passed: 4, failed: 3, skipped: 3 });
});

test('a test file that could not be loaded is a failure of vitest', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 1,
    numTodoTests: 0,
    testResults: [
      { status: 'failed', assertionResults: [{ status: 'failed' }] },
      { status: 'failed', assertionResults: [] },
      { status: 'passed', assertionResults: [{ status: 'passed' }] },
    ],
  };
  expect(vitestCounts(file(JSON.stringify(report)))).toEqual({ passed: 5, failed: 2, skipped: 1 });
});

test('a part without a report has failed', () => {
  expect(judged(junitCounts(path.join(folder, 'nothing')), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(judged(vitestCounts(path.join(folder, 'nothing')), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('an exit code that no test accounts for is a failure', () => {
  expect(judged({ passed: 3, failed: 0, skipped: 0 }, 1)).toEqual({ passed: 3, failed: 1, skipped: 0 });
  expect(judged({ passed: 3, failed: 2, skipped: 0 }, 1)).toEqual({ passed: 3, failed: 2, skipped: 0 });
});

test('the closing line names skipped tests only where there are some', () => {
  const part = { passed: 2, failed: 0, skipped: 0 };
  expect(summary([part, part])).toBe('4 passed, 0 failed');
  expect(summary([part, { passed: 1, failed: 1, skipped: 2 }])).toBe('3 passed, 1 failed, 2 skipped');
});
