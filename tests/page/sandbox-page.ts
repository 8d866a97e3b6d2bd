// A page that runs all misbehaving code in the sandbox, and reports to its server how each piece was stopped.
import { defaultLimits, Sandbox } from '../../src/sandbox/sandbox.ts';
import { spawnSandbox } from '../../src/workers/spawn-sandbox.ts';
import { importing, misbehaving, stillWorks } from '../sandbox/cases.ts';

const say = (about: string, what: string) => fetch('/said', { method: 'POST', body: JSON.stringify([about, what]) });
const sandbox = new Sandbox(spawnSandbox, { ...defaultLimits, deadlineMs: 500 });
const call = (code: string) => sandbox.call({ code, file: 'objective.js', arrays: {}, values: null });

async function stopped(code: string): Promise<string> {
  const error = await call(code).then(
    () => null,
    (failure: Error) => failure,
  );
  return `${error?.name}: ${error?.message}${(await stillWorks(sandbox)) ? '' : ' (and the sandbox works no more)'}`;
}

try {
  for (const { what, code } of misbehaving) await say(what, await stopped(code));
  await say('import()', String((await call(importing)).values));
  await say('done', '');
} catch (error) {
  await say('failed', (error as Error).message);
}
