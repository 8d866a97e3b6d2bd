/** `npm run scorm -- --lesson ID | --assignment FILE [--title TEXT] [--xapi] [--site DIR] --out PACKAGE.zip` */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { Command } from 'commander';
import { assignmentHash, forPupils, readAssignment, writeAssignment } from '../classroom/assignment.ts';
import { type ScormContent, scormPackage } from '../classroom/scorm/package.ts';
import { CommandError, fail } from './command-error.ts';
import { writeWhole } from './whole-files.ts';

interface Options {
  lesson?: string;
  assignment?: string;
  title?: string;
  xapi: boolean;
  site: string;
  out: string;
}

const program = new Command('scorm')
  .description('Packs the page with a lesson or an assignment as a SCORM 1.2 package for a learning platform.')
  .option('--lesson <id>', 'a lesson, by the id in its link (lesson=ID)')
  .option('--assignment <file>', 'an assignment; its answers are left out')
  .option('--title <text>', "title on the platform (default: the assignment's, or the lesson's id)")
  .option('--xapi', 'also sends an xAPI statement, if the launch names a record store', false)
  .option('--site <folder>', 'the built page (npm run build)', 'build/page')
  .requiredOption('--out <file>', 'the package (.zip)');

/** Files of a folder, by their path with slashes. Maps of sources are left out. */
function siteFiles(folder: string): Map<string, Uint8Array<ArrayBuffer>> {
  if (!existsSync(join(folder, 'index.html')))
    throw new CommandError(`${folder} has no index.html: run npm run build first, or name the built page with --site.`);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('.map'));
  return new Map(
    files.map((path) => [relative(folder, path).split(sep).join('/'), new Uint8Array(readFileSync(path))]),
  );
}

function contentOf({ lesson, assignment, title, xapi }: Options): ScormContent {
  if ((lesson === undefined) === (assignment === undefined))
    throw new CommandError('Name either --lesson or --assignment.');
  if (lesson !== undefined) {
    if (!/^[\w-]{1,60}$/.test(lesson)) throw new CommandError(`"${lesson}" is not the id of a lesson.`);
    return { id: `lesson:${lesson}`, title: title ?? lesson, hash: `#lesson=${lesson}`, xapi };
  }
  const document = forPupils(readAssignment(readFileSync(assignment!, 'utf8')));
  const packed = deflateRawSync(writeAssignment(document)).toString('base64url');
  const hash = `#assignment=1.${packed}`;
  return { id: `assignment:${assignmentHash(document)}`, title: title ?? document.title.en, hash, xapi };
}

async function main(): Promise<void> {
  program.parse();
  const options = program.opts<Options>();
  const site = siteFiles(options.site);
  const bytes = scormPackage(contentOf(options), site);
  writeWhole(options.out, bytes);
  console.log(`${options.out}: ${(bytes.length / 1e6).toFixed(1)} MB, ${site.size} files of the page`);
}

main().then(() => process.exit(0), fail);
