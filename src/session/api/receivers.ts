/** Servers to which an experiment's episodes would be sent: the judges of its reward and its teachers behind an API. */
import type { Experiment } from '../../experiment/experiment.ts';
import { servedTeachers } from '../../experiment/teacher-names.ts';
import { modelConnection } from './model-connection.ts';

interface Receiver {
  role: 'judge' | 'teacher';
  address: string;
}

function receiversOf(experiment: Experiment): Receiver[] {
  const judges = (experiment.reward?.parts ?? []).flatMap((part) => ('address' in part ? [part.address] : []));
  const teachers = servedTeachers(experiment);
  return [
    ...judges.map((address): Receiver => ({ role: 'judge', address })),
    ...teachers.map(({ address }): Receiver => ({ role: 'teacher', address })),
  ];
}

/** First server that may not receive the episodes; undefined: there is none. `allowed`: an address for each role. */
export const refusedReceiver = (
  experiment: Experiment,
  allowed: { readonly [role in Receiver['role']]?: string },
): Receiver | undefined =>
  receiversOf(experiment).find(
    ({ role, address }) => modelConnection(address) !== modelConnection(allowed[role] ?? ''),
  );
