// `npm run licences [-- --sbom]`: licences of the packages that ship (dependencies, not what only builds and tests), with
// the file of each text. Fails for a copyleft licence, counts packages without a text of their own, and names those with
// install scripts. With --sbom it prints the software bill of materials instead (CycloneDX, by npm itself).
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './machine.mjs';

if (process.argv.includes('--sbom')) {
  const sbom = ['sbom', '--omit', 'dev', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  process.stdout.write(execFileSync('npm', sbom, { cwd: root, maxBuffer: 1 << 28 }));
  process.exit(0);
}

const copyleft = /\b(?:A?GPL|LGPL|MPL|EPL|EUPL|CDDL|OSL|SSPL|CC-BY-SA)\b/i;
const textFile = /^(?:licen[cs]e|copying|notice)/i;
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

const listed = Object.entries(packages)
  .filter(([path, { dev, optional }]) => path && !dev && !optional)
  .map(([path, { version, license = 'not stated' }]) => {
    const folder = join(root, path);
    const text = existsSync(folder) ? readdirSync(folder).find((name) => textFile.test(name)) : undefined;
    return { path, version, license, text };
  });
for (const { path, version, license, text } of listed)
  console.log(`${path.replace('node_modules/', '')} ${version}  ${license}  ${text ?? 'no text in the package'}`);

const refused = listed.filter(({ license }) => copyleft.test(license) && !/\bOR\b/.test(license));
const scripts = Object.entries(packages).flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []));
const textless = listed.filter(({ text }) => !text);
console.log(`${listed.length} packages ship; ${textless.length} have no licence text of their own`);
console.log(`install scripts: ${scripts.map((path) => path.replace('node_modules/', '')).join(', ') || 'none'}`);
if (refused.length) console.log(`copyleft: ${refused.map(({ path }) => path).join(', ')}`);
process.exitCode = refused.length ? 1 : 0;
