export function valueImports(source: string, file: string): { file: string; names: string[] | null }[];
export function bypasses(source: string, file: string): string[];
export function formatBaseline(found: { [file: string]: readonly string[] }): string;
export function parseBaseline(text: string): { [file: string]: string[] };
export function compared(
  found: { [file: string]: readonly string[] },
  baseline: { [file: string]: readonly string[] },
): { added: string[]; gone: string[] };
