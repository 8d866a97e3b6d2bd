/**
 * AgentGym's routes of a served world: reads a request as FastAPI would, calls the world's form, answers in the form's
 * format.
 */

import { WorldError } from '../../envs/env.ts';
import { Refused, type Route, ServerFault, SessionLimit } from '../../envs/serving/form.ts';
import type { Answer, Handler, Request } from '../router.ts';
import { parseBody, readBody, readQuery, Unreadable, UnreadableBody } from './fields.ts';
import type { AgentGymHost } from './host.ts';

const json = (status: number, value: unknown): Answer => ({ status, json: value });

/** Answer to a failure, in the format of the world's original server. */
function failureOf(error: unknown, form: { errors: 'answer' | 'status' }, report: (error: unknown) => void): Answer {
  if (error instanceof Unreadable) return json(422, { detail: error.problems });
  if (error instanceof UnreadableBody) return json(400, { detail: error.message });
  if (error instanceof SessionLimit)
    return form.errors === 'answer' ? json(200, { error: error.message }) : json(503, { detail: error.message });
  if (form.errors === 'answer' && (error instanceof Refused || error instanceof WorldError))
    return json(200, { error: error.message });
  const known = [Refused, WorldError, ServerFault].some((kind) => error instanceof kind);
  if (!known) report(error);
  return { status: 500, text: 'Internal Server Error' };
}

function valuesOf({ method, fields }: Route, request: Request) {
  if (method === 'GET') return readQuery(fields, request.query);
  if (Object.keys(fields).length === 0) return {};
  return readBody(fields, parseBody(request.body, request.contentType));
}

/** Returns the handler of one route. `report` receives failures of the server itself. */
export function agentGymHandler(host: AgentGymHost, route: Route, report: (error: unknown) => void): Handler {
  return async (request) => {
    try {
      return json(200, await route.answer(host, valuesOf(route, request)));
    } catch (error) {
      return failureOf(error, host.served.form, report);
    }
  };
}
