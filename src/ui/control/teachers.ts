/** Policies of the site and of stored runs as teachers: their files reach the trainer before a run that names them. */
import type { Experiment } from '../../experiment/experiment.ts';
import { isShipped, readTeacherName, teacherTexts } from '../../experiment/teacher-names.ts';
import type { RunSummary, TrainerApi } from '../../session/protocol.ts';
import { fetchAgent, fetchAgentRun } from './shipped-agents.ts';

type Keeping = Pick<TrainerApi, 'keepRecording'>;

/** Agents that the trainer has. */
const kept = new WeakMap<Keeping, Set<string>>();

/** Fetches a shipped agent for the trainer, once. */
async function keepShipped(api: Keeping, name: string): Promise<void> {
  const own = kept.get(api) ?? new Set();
  if (own.has(name)) return;
  await api.keepRecording(await fetchAgentRun(name, await fetchAgent(name)), name);
  kept.set(api, own.add(name));
}

/** Fetches the shipped agents that teach in an experiment. One that the site does not have is refused by the trainer. */
export async function keepTeachers(api: Keeping, experiment: Pick<Experiment, 'algorithm' | 'stages'>): Promise<void> {
  const names = teacherTexts(experiment).map((text) => readTeacherName(text).name);
  await Promise.all(names.filter(isShipped).map((name) => keepShipped(api, name).catch(() => {})));
}

/** Hands the policy of a stored run to the trainer. Returns the name under which it teaches. */
export async function keepRun(api: Keeping & Pick<TrainerApi, 'exportPolicy'>, run: RunSummary): Promise<string> {
  const name = `${run.name.slice(0, 200)}.zip`;
  await api.keepRecording(await api.exportPolicy(run.id), name);
  return name;
}
