/** Types of lint-wasm.mjs, for its test. */
export function withoutDecorators(source: string): string;
