// Files of src/, envs-wasm/ and kernels-wasm/ have at most 450 lines. A longer one gives its reason in its opening
// comment, in a sentence that begins `Long because`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './machine.mjs';

const most = 450;
const folders = ['src', 'envs-wasm', 'kernels-wasm'];

/** Opening comment of a source: the comments before its first line of code. */
const headOf = (source) => /^(?:\s*(?:\/\/.*\n|\/\*[\s\S]*?\*\/\s*\n))*/.exec(source)[0];

/** Number of lines if a source is too long and gives no reason; else null. */
export function tooLong(source) {
  const lines = source.trimEnd().split('\n').length;
  return lines > most && !/\bLong because \w/.test(headOf(source)) ? lines : null;
}

if (process.argv[1] === import.meta.filename) {
  const files = folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
    )
    .filter((file) => file.endsWith('.ts') && !file.includes('/locales/generated/'));
  const long = files
    .map((file) => ({ file, lines: tooLong(readFileSync(join(root, file), 'utf8')) }))
    .filter(({ lines }) => lines);
  for (const { file, lines } of long)
    console.error(`${file} has ${lines} lines: divide it, or write in its opening comment "Long because ..."`);
  console.log(`${files.length} files, ${long.length} above ${most} lines without a reason`);
  process.exit(long.length ? 1 : 0);
}
