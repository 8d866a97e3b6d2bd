/** Types of machine.mjs, for the command line tools and the tests. */
export const root: string;
export const chromiumArgs: string[];
export const chromiumArgsWithoutWebGpu: string[];
export function findChromium(): string | null;
export function findFirefox(): string | null;
export function findMesaDriver(): string | null;
export function findBrowserDriver(): string | null;
export function findSoftwareDrivers(): string[];
export function hasRenderNode(): boolean;
export function findMissing(): string[];
export function installAdvice(): string;
export function requireBrowser(): void;
