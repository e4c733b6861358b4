/* esbuild bundles style sheets that a script imports. */
declare module '*.css';
