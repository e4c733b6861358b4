/**
 * Words for “what am I looking at?”.
 */
export interface PageHelp {
  /** What the page shows, and how it is read, in a few sentences. */
  readonly about: string;
  /** Each metric of the page: what is counted, its unit, and how precise it is. */
  readonly metrics: readonly { readonly name: string; readonly meaning: string }[];
}
