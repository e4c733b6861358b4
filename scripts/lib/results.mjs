// Counts of passed, failed and skipped tests out of the reports that pytest and vitest write.
import { existsSync, readFileSync } from 'node:fs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @returns {Counts} counts of a JUnit XML report (pytest's); null where there is none */
export function junitCounts(file) {
  const suite = existsSync(file) ? /<testsuite\b[^>]*>/.exec(readFileSync(file, 'utf8'))?.[0] : undefined;
  if (suite === undefined) {
    return null;
  }
  const count = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
  const failed = count('failures') + count('errors');
  const skipped = count('skipped');
  return { passed: Math.max(0, count('tests') - failed - skipped), failed, skipped };
}

/** @returns {Counts} counts of a report of vitest's `json` reporter; null where there is none */
export function vitestCounts(file) {
  if (!existsSync(file)) {
    return null;
  }
  const report = JSON.parse(readFileSync(file, 'utf8'));
  // A file that could not be loaded has no tests, but is a failure.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((a) => a.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** What a part counts as: its report, corrected by its exit code, which knows of failures that no test reports. */
export function judged(counts, code) {
  if (counts === null) {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** The closing line: `N passed, N failed`, and `, N skipped` where there are any. */
export function summary(parts) {
  const sum = (key) => parts.reduce((total, counts) => total + counts[key], 0);
  return `${sum('passed')} passed, ${sum('failed')} failed${sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''}`;
}
