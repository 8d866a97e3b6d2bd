export function valueImports(source: string, file: string): { file: string; names: string[] | null }[];
export function bypasses(source: string, file: string): string[];
export function findBypasses(): { found: { [file: string]: string[] }; unused: string[] };
