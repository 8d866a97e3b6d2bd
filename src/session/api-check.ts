/** A look at a model behind an API: does its server answer this page, with this key, and which models has it (`GET /models`). Asks for no reply. */
import * as v from 'valibot';
import type { ConnectionFinding, ConnectionReport } from '../envs/module.ts';
import { blockedByPage, reportOf } from '../envs/transport/looking.ts';

export interface ModelLook {
  report: ConnectionReport;
  /** As the server names them; empty: it does not say. */
  models: string[];
}

const lookMs = 10_000;
const ModelsSchema = v.object({ data: v.array(v.object({ id: v.string() })) });

const failed = (what: ConnectionFinding['what'], detail = ''): ModelLook => ({
  report: reportOf([{ what, detail }]),
  models: [],
});

export async function lookAtModels(
  address: string,
  key: string | null,
  signal: AbortSignal,
  ask: typeof fetch = globalThis.fetch,
): Promise<ModelLook> {
  if (!URL.canParse(address)) return failed('bad-address', 'write it as in http://127.0.0.1:36001/v1');
  if (blockedByPage(address)) return failed('insecure');
  const within = AbortSignal.any([signal, AbortSignal.timeout(lookMs)]);
  const url = `${address.replace(/\/+$/, '')}/models`;
  const began = performance.now();
  let response: Response;
  try {
    response = await ask(url, { signal: within, headers: key ? { Authorization: `Bearer ${key}` } : {} });
  } catch (error) {
    signal.throwIfAborted();
    if (await isThere(url, within, ask)) return failed('closed-to-pages');
    const inTime = (error as Error).name !== 'TimeoutError';
    return failed('unreachable', inTime ? 'the connection failed' : `nothing came within ${lookMs / 1000} s`);
  }
  const ms = performance.now() - began;
  if (response.status === 401 || response.status === 403) return failed('refused', `HTTP ${response.status}`);
  const read = v.safeParse(ModelsSchema, await response.json().catch(() => null));
  if (!response.ok || !read.success) return failed('not-understood', `HTTP ${response.status}`);
  const models = read.output.data.map(({ id }) => id);
  return { report: { works: true, says: 'OpenAI', version: '', ms, findings: [] }, models };
}

/** Whether anything answers, which a page may find out without being let read it. */
const isThere = (url: string, signal: AbortSignal, ask: typeof fetch): Promise<boolean> =>
  ask(url, { mode: 'no-cors', signal }).then(
    ({ type }) => type === 'opaque',
    () => false,
  );
