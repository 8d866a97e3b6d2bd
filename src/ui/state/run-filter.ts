/** Choice of the runs that a search in the list of runs shows. Pure functions. */
import type { RunSummary } from '../../session/protocol.ts';

/** Texts of a run that a search looks in. */
const textsOf = ({ name, tags = [], notes = '', experiment }: RunSummary): string =>
  [name, ...tags, notes, experiment.name, ...experiment.worlds.map((world) => world.name)].join('\n').toLowerCase();

/** Runs that contain every word of the search in their name, tags, notes, experiment or worlds. */
export function matchingRuns(runs: readonly RunSummary[], search: string): RunSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter((run) => words.every((word) => textsOf(run).includes(word)));
}

/** Tags as a person writes them, separated by commas, each once. */
export const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,，、]/)
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

/** True for a new run that has no step, no evaluation and nothing that a person wrote. */
export const isUnstarted = ({ step, origin, sweep, bytes, deletedUntil, tags, notes }: RunSummary): boolean =>
  step === 0 && origin.kind === 'new' && !sweep && bytes === 0 && deletedUntil === null && !tags?.length && !notes;
