// `npm run test:proxy`: the proxy's tests including those that take minutes: every template of the six sites, and
// training through the proxy.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './machine.mjs';
import { buildCli } from './run.mjs';

await buildCli();
process.env.TABGYM_PROXY_ALL = '1';
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const files = process.argv.slice(2);
const args = ['run', '--project', 'node', ...(files.length ? files : ['tests/proxies'])];
process.exit(spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit' }).status ?? 1);
