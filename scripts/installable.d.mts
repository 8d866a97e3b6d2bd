import type { Plugin } from 'vite';
// Declared here, because the plugin's own types import others that clash with the page's.
export function installable(): Plugin[];
