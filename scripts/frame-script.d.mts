import type { Plugin } from 'vite';
export function buildFrameScript(world: string): Promise<string>;
export function frameScript(options?: { empty?: boolean }): Plugin;
