/** AgentGym's `searchqa` protocol over the configured questions and retriever, by the same routes as `npm run serve`. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { AgentGymHost } from '../../src/server/agentgym/host.ts';
import { agentGymHandler } from '../../src/server/agentgym/routes.ts';
import { type Answer, Router } from '../../src/server/router.ts';
import { ServedWorld } from '../../src/server/served-world.ts';
import { SessionLedger } from '../../src/server/sessions.ts';
import { agentGymForm } from '../../src/worlds/search/agentgym.ts';
import { search } from '../../src/worlds/search/index.ts';
import type { Retriever } from '../../src/worlds/search/retrieval/retriever.ts';
import type { SourceQuestion } from '../../src/worlds/search/source.ts';
import type { Part } from '../part.ts';
import { QuestionWorld } from './questions.ts';

const path = '/searchqa';
const sessions = 4096;
const idleSeconds = 3600;

function send(reply: FastifyReply, answer: Answer): Promise<unknown> {
  const sent = 'json' in answer ? JSON.stringify(answer.json) : 'text' in answer ? answer.text : '';
  const type = 'json' in answer ? 'application/json' : 'text/plain; charset=utf-8';
  return Promise.resolve(reply.code(answer.status).type(type).send(sent));
}

export function searchQaPart(
  retriever: Retriever,
  questions: readonly SourceQuestion[],
  version: string,
  report: (error: Error) => void,
): Part {
  const world = new QuestionWorld(retriever, questions);
  const ledger = new SessionLedger({ sessions, idleSeconds });
  const served = new ServedWorld(search, agentGymForm, world, ledger);
  const host = new AgentGymHost(served);
  const mount = (app: FastifyInstance) => {
    const router = new Router(app, send);
    for (const route of agentGymForm.routes)
      router.add(
        route.method,
        `${path}${route.path}`,
        agentGymHandler(host, route, (error) => report(error as Error)),
      );
    const paths = Object.fromEntries(agentGymForm.routes.map((route) => [route.path, {}]));
    const info = { title: "SearchQA behind Tabgym's proxy", version };
    router.add('GET', `${path}/`, async () => ({ status: 200, json: agentGymForm.greeting }));
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
