export const hostNode: string;
export const hostEntry: string;
export function ensureVscodeHost(): Promise<void>;
