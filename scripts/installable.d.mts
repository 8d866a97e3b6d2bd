import type { Plugin } from 'vite';
// Written out here, since the plugin's own types bring others that clash with the page's.
export function installable(): Plugin[];
