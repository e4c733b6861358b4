import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/extension/**/*.test.{ts,tsx}', 'tests/scripts/**/*.test.mjs'],
    globalSetup: ['tests/extension/build.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
