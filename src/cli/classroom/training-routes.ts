/** Paths of training together: the experiment, work for a member, weights of a version, episodes that come back. */
import type { FastifyInstance } from 'fastify';
import * as v from 'valibot';
import type { Board } from '../../classroom/together/board.ts';
import { deliverySchema } from '../../classroom/together/episodes.ts';
import { memberSchema } from '../../classroom/together/messages.ts';
import type { SharedTraining } from '../../classroom/together/shared-training.ts';
import type { Experiment } from '../../experiment/experiment.ts';

/** Largest delivery: a group of long episodes. */
const mostBytes = 8 * 1024 * 1024;

export function mountTraining(
  app: FastifyInstance,
  board: Pick<Board, 'nameOf'>,
  { shared, experiment }: { shared: SharedTraining; experiment: Experiment },
): void {
  app.get('/class/training', () => ({ experiment, counts: shared.counts }));
  app.post('/class/work', ({ body }) => {
    const { secret } = v.parse(memberSchema, body);
    board.nameOf(secret);
    return shared.take(secret);
  });
  app.get('/class/weights/:version', (request, reply) => {
    const { version } = request.params as { version: string };
    const bytes = shared.weightsOf(Number(version));
    if (!bytes) return reply.code(404).send({ type: 'OtherVersion', detail: 'These weights are not kept any more.' });
    // A view: a copy for each request would let one member fill the memory.
    const { buffer, byteOffset, byteLength } = bytes;
    return reply.type('application/octet-stream').send(Buffer.from(buffer, byteOffset, byteLength));
  });
  app.post('/class/episodes', { bodyLimit: mostBytes }, ({ body }) => {
    const delivery = v.parse(deliverySchema, body);
    board.nameOf(delivery.secret);
    shared.deliver(delivery);
    return {};
  });
}
