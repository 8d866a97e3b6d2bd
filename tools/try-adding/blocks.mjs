/**
 * Extracts the files that docs/adding.md shows: blocks of TypeScript that start with a comment, `// PATH` for a whole
 * file and `// PATH: one line` for a line added to an existing file.
 */
export function readBlocks(text) {
  const found = [...text.matchAll(/^```ts\n\/\/ (\S+?)(: one line)?\n([\s\S]*?)^```$/gm)];
  return found.map(([, path, line, body]) => ({ path, line: Boolean(line), text: body }));
}
