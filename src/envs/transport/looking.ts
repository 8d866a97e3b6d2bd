/** What looks at servers have in common: a report from its findings, a middle time, and what a page's browser would not let through. */
import type { ConnectionFinding, ConnectionReport } from '../module.ts';

/** Of a look that got no further. */
export const reportOf = (findings: readonly ConnectionFinding[]): ConnectionReport => ({
  works: false,
  says: '',
  version: '',
  ms: null,
  findings,
});

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|.*\.localhost)$/;

/** A page that came over HTTPS reaches an unencrypted server on its own machine alone (W3C Mixed Content). */
export function blockedByPage(address: string, page: string | undefined = globalThis.location?.protocol): boolean {
  const { protocol, hostname } = new URL(address);
  return page === 'https:' && (protocol === 'http:' || protocol === 'ws:') && !loopback.test(hostname);
}
