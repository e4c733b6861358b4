import { defineConfig } from 'vitest/config';

// One VS Code and one browser at a time: each is heavy, and a test's steps build on each other.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // What a person waits for is waited for; vitest's own second is too short for a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});
