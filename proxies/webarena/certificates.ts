/**
 * Certificates of sites that use their own. Chromium accepts exactly these keys, each by its hash, and still refuses
 * every other.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError, type WebArenaConfig } from '../config.ts';

/** SHA-256 of the certificate's public key (SubjectPublicKeyInfo, RFC 5280 section 4.1), in base64. */
function keyHash(site: string, file: string): string {
  try {
    const { publicKey } = new X509Certificate(readFileSync(file));
    return createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64');
  } catch (error) {
    throw new ConfigError(
      `webarena.sites.${site}.certificate: ${file} is not a certificate (${(error as Error).message})`,
    );
  }
}

/** Throws `ConfigError` if a certificate cannot be read. */
export const keyHashes = (sites: WebArenaConfig['sites']): string[] =>
  Object.entries(sites).flatMap(([name, site]) => (site?.certificate ? [keyHash(name, site.certificate)] : []));
