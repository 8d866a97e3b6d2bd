/**
 * `npm run classroom -- [--port 36443] [--plain-port 36480] [--host ADDRESS] [--allow-host NAME ...] [--code CODE]
 * [--title TEXT]`
 */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { codeOf } from '../classroom/together/messages.ts';
import { newToken } from '../server/door.ts';
import { certificateFolder, fingerprintOf, keptCertificate } from './classroom/certificate.ts';
import { createClassServer } from './classroom/class-server.ts';
import { plainServer } from './classroom/plain-page.ts';
import { CommandError, fail } from './command-error.ts';
import { closeAtSignal, hostOf, listen } from './listening.ts';
import { wholeFrom } from './number-argument.ts';
import { repeatable } from './repeatable.ts';

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
const program = new Command('classroom')
  .description('Serves the page and a board to a class in the local network, without accounts.')
  .option('--port <n>', 'port of the secure address', port, 36_443)
  .option('--plain-port <n>', 'port of the plain address, which explains the secure one', port, 36_480)
  .option('--host <address>', 'address to listen on', '0.0.0.0')
  .addOption(repeatable('--allow-host <name>', 'a further name of this machine in the network; repeatable', hostOf))
  .option('--code <code>', 'code of the class (default: a new one)', givenCode)
  .option('--title <text>', 'title of the board', 'Class')
  .option('--page <folder>', 'folder of the built page', 'build/page');

/** Addresses of this machine in its networks, without link-local ones, which no certificate can name. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
    .map(({ address }) => address);

/** A host as a certificate names it: without port and brackets. */
const withoutPort = (host: string) => host.replace(/(?<=[^:]|\]):\d+$/, '').replace(/^\[|\]$/g, '');

const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address);

function pageFolder(given: string): string {
  const folder = resolve(given);
  if (existsSync(`${folder}/index.html`)) return folder;
  throw new CommandError(`${given} has no page: run npm run build first, or name its folder with --page.`);
}

function printAddresses(addresses: readonly string[], ports: { secure: number; plain: number }, code: string) {
  const [first] = addresses;
  console.log(`\nPupils open   https://${inUrl(first)}:${ports.secure}/`);
  for (const other of addresses.slice(1)) console.log(`or            https://${inUrl(other)}:${ports.secure}/`);
  console.log(
    `and type the code  ${shown(code)}   (with the code in it: https://${inUrl(first)}:${ports.secure}/#join=${code})`,
  );
  console.log(`http://${inUrl(first)}:${ports.plain}/ explains the secure address to those who type http.`);
}

async function main(): Promise<void> {
  program.parse();
  const { host, allowHost = [], title, page, ...given } = program.opts();
  const code: string = given.code ?? newCode();
  const teacherKey = newToken();
  const addresses = host === '0.0.0.0' || host === '::' ? ownAddresses() : [host];
  if (!addresses.length)
    throw new CommandError('This machine has no address in a network: connect it, or give --host.');
  const allowed: string[] = allowHost.map(withoutPort);
  const names = [...new Set(['localhost', '127.0.0.1', hostname(), ...addresses, ...allowed])];
  const certificate = await keptCertificate(certificateFolder(), names);
  const door = { host, hosts: [hostname(), ...allowHost] };
  const server = createClassServer({
    ...{ title, code, teacherKey, certificate, door },
    page: pageFolder(page),
    report: (error) => console.error(error),
  });
  const secure = Number(new URL(await listen(server, host, given.port, code, true)).port);
  const admits = {
    host: 'open the address that the teacher’s machine prints',
    origin: () => 'open that address itself',
  };
  const plain = plainServer({ ...door, origins: [], token: null, admits, pageRefusal: 'ForeignPage' }, secure);
  await plain.listen({ port: given.plainPort, host }).catch((error: Error) => {
    console.error(`The plain address is not served (${error.message}): pupils must type https.`);
  });
  const address = `https://${inUrl(addresses[0])}:${secure}`;
  printAddresses(addresses, { secure, plain: given.plainPort }, code);
  console.log(
    `\nTheir browsers warn once that the connection is not private, because this machine has signed its certificate itself: "Advanced", then "Proceed". Its SHA-256 fingerprint:\n${fingerprintOf(certificate)}`,
  );
  console.log(
    `\nBoard (with your key, do not pass it on): https://localhost:${secure}/#board=${code}&key=${teacherKey}`,
  );
  console.log(`Board to project:                         ${address}/#board=${code}`);
  closeAtSignal({ close: async () => void (await Promise.all([server.close(), plain.close()])) });
}

main().catch(fail);
