// One rule set for all TypeScript: the type checker's strict rules, and the borders between the host and the pages.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const forbid = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

export default tseslint.config(
  { ignores: ['dist/', 'bundled/', '.venv/', '.vscode-host/', 'out/', 'extension/server/{views,wire}.ts', 'bench/', 'pyserver/'] },
  js.configs.recommended,
  {
    files: ['extension/**/*.{ts,tsx}', 'tests/**/*.{ts,tsx,mts}'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'tsconfig.webview.json', 'tsconfig.tests.json', 'tests/e2e/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      eqeqeq: ['error', 'always'],
    },
  },
  {
    files: ['extension/**/*.ts'],
    ignores: ['extension/webview/**'],
    rules: forbid({ regex: '/webview/', message: 'The host never imports a page: they share only types of views/messages.ts.' }),
  },
  {
    files: ['extension/webview/**'],
    rules: forbid(
      { regex: '^(vscode$|node:)', message: 'A page runs in a browser: it knows no editor and no Node.' },
      {
        regex: '^(\\.\\./){2,}(?!(\\.\\./)*format$)',
        allowTypeImports: true,
        message: 'A page takes only types from the host, and the formatter of numbers.',
      },
    ),
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
        AbortSignal: 'readonly',
        document: 'readonly',
        window: 'readonly',
        getComputedStyle: 'readonly',
      },
    },
  },
);
