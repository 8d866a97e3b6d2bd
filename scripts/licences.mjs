// `npm run licences [-- --sbom]`: licences of the packages that ship (dependencies and optional peers, which the page or a
// program has; not what only builds and tests), with the file of each text. Fails for a copyleft licence, counts packages without a text of their own, and names those with
// install scripts. With --sbom it prints the software bill of materials instead (CycloneDX, by npm itself).
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './machine.mjs';

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const { packages } = lock;

/** Path in the lock of a package that one at `from` requires; undefined: not installed. */
function installedFrom(from, name) {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const path = `${folder && `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (!folder) return undefined;
  }
}

/** Marks a package and those that it requires as shipping: to npm, the optional peers are only for development. */
function ship(from, names) {
  for (const name of names) {
    const path = installedFrom(from, name);
    if (!path || !packages[path].dev) continue;
    delete packages[path].dev;
    ship(path, Object.keys(packages[path].dependencies ?? {}));
  }
}

const { peerDependencies } = packages[''];
ship('', Object.keys(peerDependencies));

/** The bill of materials of a project with this lock, in which the optional peers are dependencies. */
function billOfMaterials() {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-sbom-'));
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const project of [own, packages['']]) {
    Object.assign(project.dependencies, peerDependencies);
    for (const name of Object.keys(peerDependencies)) delete project.devDependencies[name];
    delete project.peerDependencies;
    delete project.peerDependenciesMeta;
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const sbom = ['sbom', '--omit', 'dev', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const text = execFileSync('npm', sbom, { cwd: folder, maxBuffer: 1 << 28 });
  rmSync(folder, { recursive: true });
  return text;
}

if (process.argv.includes('--sbom')) {
  // A pipe takes it in parts.
  await new Promise((written) => process.stdout.write(billOfMaterials(), written));
  process.exit(0);
}

const copyleft = /\b(?:A?GPL|LGPL|MPL|EPL|EUPL|CDDL|OSL|SSPL|CC-BY-SA)\b/i;
const textFile = /^(?:licen[cs]e|copying|notice)/i;

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
