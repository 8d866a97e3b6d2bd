import type { Plugin } from 'vite';
export function hashOf(text: string): string;
export function policyOf(texts: { scripts: string[]; styles: string[] }): string;
export function contentPolicy(): Plugin;
