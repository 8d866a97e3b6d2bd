import type { Plugin } from 'vite';
export function localeWords(): Plugin;
