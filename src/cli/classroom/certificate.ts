/** The certificate that a class's server signs for itself. Browsers warn about it, because no authority has signed it. */
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

export interface Certificate {
  key: string;
  cert: string;
}

/** Browsers refuse certificates that are valid for more than 398 days. */
const validDays = 180;
const renewDays = 7;
const dayMs = 86_400_000;

const isAddress = (name: string) => isIPv4(name) || isIPv6(name);

/** A new key with its certificate, which holds for these names and addresses alone. */
export async function newCertificate(names: readonly string[], now = new Date()): Promise<Certificate> {
  const altNames = names.map((name) =>
    isAddress(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name },
  );
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'Tabgym class' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now.getTime() - dayMs),
    notAfterDate: new Date(now.getTime() + validDays * dayMs),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { key, cert };
}

/** True if a kept certificate belongs to its key, holds for all these names, and for some days more. */
function isUsable({ key, cert }: Certificate, names: readonly string[], now: Date): boolean {
  try {
    const parsed = new X509Certificate(cert);
    const until = new Date(parsed.validTo).getTime();
    if (until - now.getTime() < renewDays * dayMs || !parsed.checkPrivateKey(createPrivateKey(key))) return false;
    if (!parsed.verify(createPublicKey(key))) return false;
    return names.every((name) => (isAddress(name) ? parsed.checkIP(name) : parsed.checkHost(name)));
  } catch {
    return false;
  }
}

/** Folder in which the key and its certificate are kept, so that browsers that accepted it do not warn again. */
export const certificateFolder = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tabgym', 'classroom');

/** The kept certificate, or a new one if there is none for these names. Only this user may read the key. */
export async function keptCertificate(
  folder: string,
  names: readonly string[],
  now = new Date(),
): Promise<Certificate> {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  if (existsSync(keyFile) && existsSync(certFile)) {
    const kept = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
    if (isUsable(kept, names, now)) return kept;
  }
  const made = await newCertificate(names, now);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(keyFile, made.key, { mode: 0o600 });
  writeFileSync(certFile, made.cert);
  return made;
}

/** SHA-256 of the certificate, as a browser shows it. */
export const fingerprintOf = ({ cert }: Certificate): string => new X509Certificate(cert).fingerprint256;
