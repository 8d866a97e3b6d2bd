export function exportedAll(text: string, name: string): string;
