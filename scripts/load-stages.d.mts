import type { Plugin } from 'vite';
export function loadStages(): Plugin;
