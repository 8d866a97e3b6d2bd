/** Experiments that a class can train together, and the importance weights that stale episodes need. */
import { customCodeOf } from '../../experiment/custom-code.ts';
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import { typedWorld, worldModule } from '../../worlds/registry.ts';

/** The experiment cannot be trained together. */
export class NotSharable extends Error {
  override name = 'NotSharable';
}

/**
 * Throws NotSharable for an experiment whose episodes cannot be played again from their tokens: worlds that do not
 * repeat themselves, thoughts, moving contexts, branches, code of the experiment's own, goals and self-play, whose tasks depend on
 * earlier steps.
 */
export function requireSharable(experiment: Experiment): void {
  const refuse = (words: string): never => {
    throw new NotSharable(`"${experiment.name}" cannot be trained together: ${words}.`);
  };
  for (const { name } of experiment.worlds) {
    const { replayable, freeRunning, title, ...world } = worldModule(name);
    if (!replayable || freeRunning) refuse(`${title} does not answer the same actions in the same way`);
    if ('seats' in world && world.seats) refuse(`${title} is a game between policies`);
  }
  if (experiment.worlds.some(({ name }) => name === typedWorld().name)) refuse('its world is typed as code');
  if (experiment.goals) refuse('a rule chooses its tasks by earlier steps');
  const { context = 'all' } = experiment.sampling;
  if (context !== 'all') refuse('its policy reads a part of each episode');
  if (experiment.sampling.thoughts) refuse('its policy thinks before it acts');
  if (experiment.sampling.branchedEpisodes) refuse('some of its episodes branch off others');
  if (experiment.sweep) refuse('it is a sweep of several runs');
  if (customCodeOf(experiment).length) refuse('it has code of its own');
}

/**
 * The experiment with importance weights for each token, if its algorithm has them and none are set; null: the algorithm
 * has none, so its episodes may not be stale.
 */
export function correctedFor(experiment: Experiment): Experiment | null {
  const { algorithm } = experiment;
  if (!('correction' in algorithm)) return null;
  if (algorithm.correction.weights !== 'none') return experiment;
  const correction = { ...algorithm.correction, weights: 'token' };
  return parseExperiment({ ...experiment, algorithm: { ...algorithm, correction } });
}
