// A pipe that closes, as in `npm run train -- ... | head -1`, does not end a command: it continues without printing.
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';

/** Exit code of a program that prints for a while after its pipe has closed. */
function endedWith(head: string): Promise<number | null> {
  const program = `${head}
    for (let k = 0; k < 30; k++) {
      console.log('step ' + k);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    process.exit(7);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.once('data', () => child.stdout.destroy());
  return new Promise((resolve) => child.once('close', resolve));
}

test('a closed pipe does not end a command', { timeout: 60_000 }, async () => {
  expect(await endedWith("await import('./scripts/run.mjs');")).toBe(7);
  expect(await endedWith('')).toBe(1);
});
