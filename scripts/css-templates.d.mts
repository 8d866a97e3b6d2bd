import type { Plugin } from 'vite';

export function smallerSheets(code: string): string;
export function cssTemplates(): Plugin;
