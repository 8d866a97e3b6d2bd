/** Types of machine.mjs, for the TypeScript that uses it. */
export const chromiumArgs: string[];
export function findChromium(): string | null;
export function findFirefox(): string | null;
export function findSoftwareDrivers(): string[];
export function hasRenderNode(): boolean;
export function findMissing(): string[];
export function installAdvice(): string;
export function requireBrowser(): void;
export const root: string;
