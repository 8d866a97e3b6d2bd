export interface FoundExpression {
  text: string;
  /** Absent for an expression that is composed at run time. */
  pattern?: string;
  flags?: string;
}
export function expressionsIn(path: string, source: string): FoundExpression[];
export function allExpressions(): Map<string, FoundExpression & { file: string }>;
export function reviewedList(): { [text: string]: string };
export function problemsOf(
  expressions: ReadonlyMap<string, object>,
  list: { readonly [text: string]: string },
): string[];
