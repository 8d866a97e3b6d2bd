import type { Plugin } from 'vite';

export const ownAncestors: string;
export function isEmbed(url: string): boolean;
export function frameGuard(): Plugin;
