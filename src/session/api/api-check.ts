/**
 * Checks the server of a model behind an API: it must be reachable from this page and accept the key. Lists its models
 * (`GET /models`) and requests no reply.
 */
import * as v from 'valibot';
import type { ConnectionReport } from '../../envs/module.ts';
import { type HttpOptions, JsonServer } from '../../envs/transport/http.ts';
import { checkServer, reportOf } from '../../envs/transport/server-check.ts';
import { baseOf } from './api-model.ts';

export interface ModelLook {
  report: ConnectionReport;
  /** Model names from the server; empty: the server lists none. */
  models: string[];
}

const List = v.array(v.object({ id: v.string() }));
/** OpenAI's list, whose `data` is null on an Ollama without models, or Together's, which is bare. */
const ModelsSchema = v.union([v.object({ data: v.nullable(List) }), List]);

export async function lookAtModels(
  typed: string,
  key: string | null,
  signal: AbortSignal,
  options: HttpOptions = {},
): Promise<ModelLook> {
  let models: string[] = [];
  const headers: HttpOptions['headers'] = key ? { Authorization: `Bearer ${key}` } : {};
  const report = await checkServer(typed, addressOf, async (address) => {
    const server = new JsonServer(address, { attempts: 1, attemptMs: 10_000, headers, ...options });
    const began = performance.now();
    const read = v.safeParse(ModelsSchema, await server.get('/models', { signal }));
    if (!read.success)
      return reportOf([{ kind: 'not-understood', detail: 'its answer to GET /models is not a list of models' }]);
    const list = Array.isArray(read.output) ? read.output : (read.output.data ?? []);
    models = list.map(({ id }) => id);
    return { works: true, description: 'OpenAI', version: '', ms: performance.now() - began, findings: [] };
  });
  return { report, models };
}

function addressOf(typed: string): string {
  if (!URL.canParse(typed)) throw new Error('write it as in http://127.0.0.1:36001/v1');
  return baseOf(typed);
}
