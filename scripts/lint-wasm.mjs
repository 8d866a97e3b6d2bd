// Lints the AssemblyScript sources of envs-wasm/ and kernels-wasm/ with Biome. Biome parses TypeScript, and
// AssemblyScript allows decorators on functions (`@inline function`), which TypeScript does not. So this script lints a
// copy in which such decorators are comments: every line keeps its number.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './machine.mjs';

/** Rules of TypeScript that are wrong for AssemblyScript. */
const switchedOff = {
  correctness: {
    // Constants of 64-bit integers are exact in AssemblyScript.
    noPrecisionLoss: 'off',
    // The compiler demands a return after `for (;;)`.
    noUnreachable: 'off',
    // `return f()` where both functions return nothing is a way to end a branch; the compiler rejects a real value.
    noVoidTypeReturn: 'off',
  },
  style: {
    noNonNullAssertion: 'off',
    // `new Array<i32>(n)` reserves n elements; a literal compiles to other code.
    useArrayLiterals: 'off',
    // AssemblyScript has no `import type`.
    useImportType: 'off',
    // A template literal compiles to other code than a sum of strings.
    useTemplate: 'off',
  },
  suspicious: {
    // `unchecked(a[i] = v)` is the only form of a store without a bounds check.
    noAssignInExpressions: 'off',
    // Operands of == have one static type: there is no coercion, and === means the same.
    noDoubleEquals: 'off',
    // Decorators on functions are errors in editors; the directive above each hides them.
    noTsIgnore: 'off',
  },
};

const folders = ['envs-wasm', 'kernels-wasm'];
const copy = join(root, 'build/lint-wasm');

/** A source in which the decorators of functions are comments. */
export const withoutDecorators = (source) => source.replace(/^@\w+(?=\s+(?:export )?function )/gm, '/* $& */');

function copySources() {
  rmSync(copy, { recursive: true, force: true });
  for (const folder of folders)
    for (const file of readdirSync(join(root, folder), { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const to = join(copy, folder, file);
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, withoutDecorators(readFileSync(join(root, folder, file), 'utf8')));
    }
  const linter = { enabled: true, rules: { preset: 'recommended', ...switchedOff } };
  writeFileSync(join(copy, 'biome.json'), JSON.stringify({ linter, formatter: { enabled: false } }));
}

if (process.argv[1] === import.meta.filename) {
  copySources();
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const options = ['lint', '--colors=off', '--error-on-warnings', '--config-path=biome.json', ...folders];
  const { status } = spawnSync(process.execPath, [biome, ...options], { cwd: copy, stdio: 'inherit' });
  process.exit(status ?? 1);
}
