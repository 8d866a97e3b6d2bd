/**
 * AgentGym's `searchqa` protocol over the configured questions and retriever, by the same routes as `npm run serve`.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isCorpusWorld } from '../../src/corpus/corpus-world.ts';
import type { SourceQuestion } from '../../src/corpus/question.ts';
import type { Retriever } from '../../src/corpus/retrieval/retriever.ts';
import { AgentGymHost } from '../../src/server/agentgym/host.ts';
import { agentGymHandler } from '../../src/server/agentgym/routes.ts';
import { type Answer, Router } from '../../src/server/router.ts';
import { ServedWorld } from '../../src/server/served-world.ts';
import { SessionLedger } from '../../src/server/sessions.ts';
import { worldModules } from '../../src/worlds/registry.ts';
import { ConfigError } from '../config.ts';
import type { Part } from '../part.ts';

const path = '/searchqa';
const sessions = 4096;
const idleSeconds = 3600;

function send(reply: FastifyReply, answer: Answer): Promise<unknown> {
  const sent = 'json' in answer ? JSON.stringify(answer.json) : 'text' in answer ? answer.text : '';
  const type = 'json' in answer ? 'application/json' : 'text/plain; charset=utf-8';
  return Promise.resolve(reply.code(answer.status).type(type).send(sent));
}

async function openWorld(retriever: Retriever, questions: readonly SourceQuestion[]) {
  const module = worldModules.find(isCorpusWorld);
  const form = await module?.agentgym?.();
  if (!module || !form)
    throw new ConfigError('retrieval.questions: no world of this build plays questions over a corpus; leave it out.');
  return { module, form, world: await module.openOver(retriever, questions) };
}

export async function searchQaPart(
  retriever: Retriever,
  questions: readonly SourceQuestion[],
  version: string,
  report: (error: Error) => void,
): Promise<Part> {
  const { module, form, world } = await openWorld(retriever, questions);
  const ledger = new SessionLedger({ sessions, idleSeconds });
  const served = new ServedWorld(module, form, world, ledger);
  const host = new AgentGymHost(served);
  const mount = (app: FastifyInstance) => {
    const router = new Router(app, send);
    for (const route of form.routes)
      router.add(
        route.method,
        `${path}${route.path}`,
        agentGymHandler(host, route, (error) => report(error as Error)),
      );
    const paths = Object.fromEntries(form.routes.map((route) => [route.path, {}]));
    const info = { title: "SearchQA behind Tabgym's proxy", version };
    router.add('GET', `${path}/`, async () => ({ status: 200, json: form.greeting }));
    router.add('GET', `${path}/openapi.json`, async () => ({ status: 200, json: { openapi: '3.1.0', info, paths } }));
  };
  return {
    path,
    title: 'SearchQA',
    notes: [`${questions.length} questions, items 0 to ${questions.length - 1}`],
    mount,
    async close() {
      ledger.close();
      await world.close();
    },
  };
}
