/**
 * `npm run classroom -- [--title TEXT] [--code CODE] [--port 36443] [--plain-port 36480] [--host ADDRESS]
 * [--allow-host NAME ...] [--page FOLDER]`, and `EXPERIMENT.json --train [--stale 0|1] [--patience SECONDS] [--out
 * FOLDER] [--steps N] [--seed N] [--device NAME]` to train together.
 */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { codeOf } from '../classroom/together/messages.ts';
import { correctedFor, requireSharable } from '../classroom/together/sharable.ts';
import { SharedTraining } from '../classroom/together/shared-training.ts';
import { inBrackets, newToken } from '../server/door.ts';
import { certificateFolder, fingerprintOf, keptCertificate } from './classroom/certificate.ts';
import { type ClassServer, createClassServer } from './classroom/class-server.ts';
import { plainServer } from './classroom/plain-page.ts';
import { mountTraining } from './classroom/training-routes.ts';
import { CommandError, fail } from './command-error.ts';
import { closeAtSignal, hostOf, listen } from './listening.ts';
import { deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';
import { repeatable } from './repeatable.ts';
import { readExperiment, type TrainingOptions, train } from './training-run.ts';

/** Letters and digits that are not mistaken for others. */
const codeLetters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const codeLength = 8;

const newCode = () => Array.from({ length: codeLength }, () => codeLetters[randomInt(codeLetters.length)]).join('');

/** A code in groups of four, as it is shown. */
const shown = (code: string) => code.replace(/(.{4})(?=.)/g, '$1-');

function givenCode(text: string): string {
  const code = codeOf(text);
  if (code.length < codeLength || code.length > 32)
    throw new InvalidArgumentError(`It must have ${codeLength} to 32 letters and digits.`);
  return code;
}

const port = wholeFrom(0, 65_535);
const [device, threads] = deviceOptions('auto');
const program = new Command('classroom')
  .description('Serves the page and a board to a class in the local network, without accounts.')
  .argument('[experiment]', 'with --train: the experiment that the class trains together')
  .option('--port <n>', 'port of the secure address', port, 36_443)
  .option('--plain-port <n>', 'port of the plain address, which explains the secure one', port, 36_480)
  .option('--host <address>', 'address to listen on', '0.0.0.0')
  .addOption(repeatable('--allow-host <name>', 'a further name of this machine in the network; repeatable', hostOf))
  .option('--code <code>', 'code of the class (default: a new one)', givenCode)
  .option('--title <text>', 'title of the board', 'Class')
  .option('--page <folder>', 'folder of the built page', 'build/page')
  .option('--train', 'train the experiment here, with episodes that the members play')
  .option('--stale <n>', 'versions by which the weights of an episode may be older', wholeFrom(0, 1), 1)
  .option('--patience <seconds>', 'time after which a group is handed out again', wholeFrom(1, 3600), 60)
  .option('--out <folder>', 'folder for the trained run')
  .option('--steps <n>', "number of steps (default: the file's)", wholeFrom(1))
  .option('--seed <n>', "seed (default: the file's)", wholeFrom(0))
  .addOption(device)
  .addOption(threads);

type Given = TrainingOptions & { stale: 0 | 1; patience: number };

/** Training with the members' episodes. `start` runs it to its end. */
function sharedTraining(file: string, { stale, patience, ...given }: Given, nameOf: (secret: string) => string) {
  const read = readExperiment({ ...given, file });
  requireSharable(read);
  const corrected = stale ? correctedFor(read) : read;
  if (!corrected)
    given.print(`${read.algorithm.name} has no importance weights, so no episode may be stale: --stale 0`);
  const experiment = corrected ?? read;
  const { print } = given;
  const staleness = corrected ? stale : 0;
  const shared = new SharedTraining({ staleness, patienceMs: patience * 1000, nameOf, print });
  const start = async () => {
    await train({ ...given, file, change: () => experiment, elsewhere: shared.of });
    shared.finish();
    const { accepted, refused, again, late, stale: old } = shared.counts;
    for (const [name, parts] of Object.entries(accepted))
      print(`${name}: ${parts} groups, ${refused[name] ?? 0} refused`);
    print(`${again} groups handed out again, ${late} came too late, ${old} were played with the version before`);
  };
  return { shared, experiment, start };
}

/** Addresses of this machine in its networks, without link-local ones, which no certificate can name. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
    .map(({ address }) => address);

/** A host as a certificate names it: without port and brackets. */
const withoutPort = (host: string) => host.replace(/(?<=[^:]|\]):\d+$/, '').replace(/^\[|\]$/g, '');

function pageFolder(given: string): string {
  const folder = resolve(given);
  if (existsSync(`${folder}/index.html`)) return folder;
  throw new CommandError(`${given} has no page: run npm run build first, or name its folder with --page.`);
}

function printAddresses(addresses: readonly string[], ports: { secure: number; plain: number }, code: string) {
  const [first] = addresses;
  console.log(`\nPupils open   https://${inBrackets(first)}:${ports.secure}/`);
  for (const other of addresses.slice(1)) console.log(`or            https://${inBrackets(other)}:${ports.secure}/`);
  console.log(
    `and type the code  ${shown(code)}   (with the code in it: https://${inBrackets(first)}:${ports.secure}/#join=${code})`,
  );
  console.log(`http://${inBrackets(first)}:${ports.plain}/ explains the secure address to those who type http.`);
}

async function main(): Promise<void> {
  program.parse();
  const [file] = program.args;
  const { host, allowHost = [], title, page, train: trains = false, ...given } = program.opts();
  if (trains !== (file !== undefined)) throw new CommandError('To train together, give an experiment and --train.');
  const code: string = given.code ?? newCode();
  const teacherKey = newToken();
  const addresses = host === '0.0.0.0' || host === '::' ? ownAddresses() : [host];
  if (!addresses.length)
    throw new CommandError('This machine has no address in a network: connect it, or give --host.');
  const allowed: string[] = allowHost.map(withoutPort);
  const names = [...new Set(['localhost', '127.0.0.1', hostname(), ...addresses, ...allowed])];
  const certificate = await keptCertificate(certificateFolder(), names);
  const door = { host, hosts: [hostname(), ...allowHost] };
  const print = (line: string) => console.log(line);
  const board = { nameOf: (secret: string) => server.board.nameOf(secret) };
  const training = trains ? sharedTraining(file, { ...(given as Given), print }, board.nameOf) : null;
  const server: ClassServer = createClassServer({
    ...{ title, code, teacherKey, certificate, door },
    ...(training && { training: training.experiment.name, mount: (app) => mountTraining(app, board, training) }),
    page: pageFolder(page),
    report: (error) => console.error(error),
  });
  const exposure = { encrypted: true, secret: 'code of the class' };
  const secure = Number(new URL(await listen(server, { host, port: given.port, token: code, exposure })).port);
  const admits = {
    host: 'open the address that the teacher’s machine prints',
    origin: () => 'open that address itself',
  };
  const plain = plainServer({ ...door, origins: [], token: null, admits, pageRefusal: 'ForeignPage' }, secure);
  await plain.listen({ port: given.plainPort, host }).catch((error: Error) => {
    console.error(`The plain address is not served (${error.message}): pupils must type https.`);
  });
  const address = `https://${inBrackets(addresses[0])}:${secure}`;
  printAddresses(addresses, { secure, plain: given.plainPort }, code);
  console.log(
    `\nTheir browsers warn once that the connection is not private, because this machine has signed its certificate itself: "Advanced", then "Proceed". Its SHA-256 fingerprint:\n${fingerprintOf(certificate)}`,
  );
  console.log(
    `\nBoard (with your key, do not pass it on): https://localhost:${secure}/#board=${code}&key=${teacherKey}`,
  );
  console.log(`Board to project:                         ${address}/#board=${code}`);
  if (training) {
    await training.start();
    console.log('The board stays open; Ctrl-C ends it.');
  }
  closeAtSignal({ close: async () => void (await Promise.all([server.close(), plain.close()])) });
}

main().catch(fail);
