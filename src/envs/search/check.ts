/** A look at a retriever: whether it answers a search as Search-R1's does, how fast, of which version. Changes nothing there. */
import type { ConnectionReport, ConnectionSettings } from '../module.ts';
import { JsonServer, ServerError, serverAddress } from '../transport/http.ts';
import { blockedByPage, descriptionOf, lackingIn, median, reportOf, unreached } from '../transport/looking.ts';
import { SearchR1Retriever } from './retrieval/search-r1.ts';

const searches = 3;
const once = { attempts: 1, attemptMs: 10_000 };

export async function checkRetriever(settings: ConnectionSettings, signal?: AbortSignal): Promise<ConnectionReport> {
  if (!settings.address) return reportOf([{ what: 'no-address', detail: '' }]);
  let root: string;
  try {
    root = serverAddress(settings.address).replace(/\/retrieve$/, '');
  } catch (error) {
    return reportOf([{ what: 'bad-address', detail: (error as Error).message }]);
  }
  if (blockedByPage(root)) return reportOf([{ what: 'insecure', detail: '' }]);
  try {
    return await look(root, signal);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return reportOf([unreached(error)]);
  }
}

async function look(root: string, signal?: AbortSignal): Promise<ConnectionReport> {
  const retriever = new SearchR1Retriever(root, once);
  const times: number[] = [];
  for (let k = 0; k < searches; k++) {
    const start = performance.now();
    await retriever.retrieve(['who founded it'], 1, signal);
    times.push(performance.now() - start);
  }
  const described = await descriptionOf(new JsonServer(root, once), signal);
  const findings = [...(described ? [] : [{ what: 'no-version' as const, detail: '' }]), ...lackingIn(described)];
  const { title = 'A retriever', version = '' } = described?.info ?? {};
  return { works: true, says: title, version, ms: median(times), findings };
}
