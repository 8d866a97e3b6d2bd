/**
 * Checks a retriever without changing anything: whether it answers searches like Search-R1's server, its latency and
 * version.
 */

import { SearchR1Retriever } from '../../corpus/retrieval/search-r1.ts';
import { median } from '../../envs/median.ts';
import type { ConnectionReport, ConnectionSettings } from '../../envs/module.ts';
import { JsonServer, serverAddress } from '../../envs/transport/http.ts';
import { checkServer, descriptionOf, missingParts } from '../../envs/transport/server-check.ts';

const searches = 3;
const once = { attempts: 1, attemptMs: 10_000 };

export const checkRetriever = ({ address }: ConnectionSettings, signal?: AbortSignal): Promise<ConnectionReport> =>
  checkServer(
    address,
    (typed) => serverAddress(typed).replace(/\/retrieve$/, ''),
    (root) => look(root, signal),
  );

async function look(root: string, signal?: AbortSignal): Promise<ConnectionReport> {
  const retriever = new SearchR1Retriever(root, once);
  const times: number[] = [];
  for (let k = 0; k < searches; k++) {
    const start = performance.now();
    await retriever.retrieve(['who founded it'], 1, signal);
    times.push(performance.now() - start);
  }
  const described = await descriptionOf(new JsonServer(root, once), signal);
  const findings = [...(described ? [] : [{ kind: 'no-version' as const, detail: '' }]), ...missingParts(described)];
  const { title = 'A retriever', version = '' } = described?.info ?? {};
  return { works: true, description: title, version, ms: median(times), findings };
}
