/**
 * The certificate that a class's server signs for itself: X.509 version 3 (RFC 5280) in DER, with a P-256 key. It holds
 * only for the names and addresses in it; browsers warn about it, because no authority has signed it.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  key: string;
  cert: string;
}

/** Browsers refuse certificates that are valid for more than 398 days. */
const validDays = 180;
const renewDays = 7;
const dayMs = 86_400_000;

const tagged = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  if (body.length < 128) return Buffer.concat([Uint8Array.of(tag, body.length), body]);
  const size = body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Uint8Array.of(tag, ...size), body]);
};

const sequence = (...parts: Uint8Array[]) => tagged(0x30, ...parts);
const setOf = (...parts: Uint8Array[]) => tagged(0x31, ...parts);
const text = (tag: number, value: string) => tagged(tag, Buffer.from(value, 'utf8'));
const octets = (value: Uint8Array) => tagged(0x04, value);
const bits = (unused: number, value: Uint8Array) => tagged(0x03, Uint8Array.of(unused), value);
const yes = tagged(0x01, Uint8Array.of(0xff));

/** Object identifiers, encoded. */
const ids = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extendedKeyUsage: '551d25',
  serverAuthentication: '2b06010505070301',
  alternativeNames: '551d11',
} as const;
const id = (name: keyof typeof ids) => tagged(0x06, Buffer.from(ids[name], 'hex'));

/** UTCTime, for years before 2050. */
const time = (at: Date) =>
  text(
    0x17,
    `${at
      .toISOString()
      .replace(/[-:T]|\.\d+/g, '')
      .slice(2, 14)}Z`,
  );

/** Bytes of an address of version 6, with `::` filled up. */
function bytesOfV6(address: string): Buffer {
  const [head, tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const missing = 8 - head.length - (tail?.length ?? 0);
  const words = [...head, ...Array<string>(tail ? missing : 0).fill('0'), ...(tail ?? [])];
  return Buffer.from(words.map((word) => word.padStart(4, '0')).join(''), 'hex');
}

function alternative(name: string): Buffer {
  if (isIPv4(name)) return tagged(0x87, Uint8Array.from(name.split('.'), Number));
  return isIPv6(name) ? tagged(0x87, bytesOfV6(name)) : text(0x82, name);
}

const extension = (name: keyof typeof ids, critical: boolean, value: Uint8Array) =>
  sequence(id(name), ...(critical ? [yes] : []), octets(value));

/** A new key with its certificate for these names and addresses. */
export function newCertificate(names: readonly string[], now = new Date()): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(id('ecdsaWithSha256'));
  const subject = sequence(setOf(sequence(id('commonName'), text(0x0c, 'Tabgym class'))));
  const serial = randomBytes(16);
  serial[0] = (serial[0] & 0x3f) | 0x40;
  const until = new Date(now.getTime() + validDays * dayMs);
  const toSign = sequence(
    tagged(0xa0, tagged(0x02, Uint8Array.of(2))),
    tagged(0x02, serial),
    algorithm,
    subject,
    sequence(time(new Date(now.getTime() - dayMs)), time(until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      0xa3,
      sequence(
        extension('basicConstraints', true, sequence()),
        extension('keyUsage', true, bits(7, Uint8Array.of(0x80))),
        extension('extendedKeyUsage', false, sequence(id('serverAuthentication'))),
        extension('alternativeNames', false, sequence(...names.map(alternative))),
      ),
    ),
  );
  const signature = sign('sha256', toSign, privateKey);
  const whole = sequence(toSign, algorithm, bits(0, signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${whole
      .toString('base64')
      .replace(/(.{64})/g, '$1\n')
      .trim()}\n-----END CERTIFICATE-----\n`,
  };
}

/** True if a kept certificate belongs to its key, holds for all these names, and for some days more. */
function isUsable({ key, cert }: Certificate, names: readonly string[], now: Date): boolean {
  try {
    const parsed = new X509Certificate(cert);
    const until = new Date(parsed.validTo).getTime();
    if (until - now.getTime() < renewDays * dayMs || !parsed.checkPrivateKey(createPrivateKey(key))) return false;
    if (!parsed.verify(createPublicKey(key))) return false;
    return names.every((name) => (isIPv4(name) || isIPv6(name) ? parsed.checkIP(name) : parsed.checkHost(name)));
  } catch {
    return false;
  }
}

/** Folder in which the key and its certificate are kept, so that browsers that accepted it do not warn again. */
export const certificateFolder = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tabgym', 'classroom');

/** The kept certificate, or a new one if there is none for these names. Only this user may read the key. */
export function keptCertificate(folder: string, names: readonly string[], now = new Date()): Certificate {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  if (existsSync(keyFile) && existsSync(certFile)) {
    const kept = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
    if (isUsable(kept, names, now)) return kept;
  }
  const made = newCertificate(names, now);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(keyFile, made.key, { mode: 0o600 });
  writeFileSync(certFile, made.cert);
  return made;
}

/** SHA-256 of the certificate, as a browser shows it. */
export const fingerprintOf = ({ cert }: Certificate): string => new X509Certificate(cert).fingerprint256;
