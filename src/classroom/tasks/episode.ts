/** Search: name an episode of the run that has certain properties. */
import * as v from 'valibot';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { type TaskKind, taskFields } from './task.ts';

const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const words = v.pipe(v.string(), v.nonEmpty(), v.maxLength(300));

const where = v.strictObject({
  success: v.optional(v.boolean()),
  ending: v.optional(v.picklist(['success', 'done', 'horizon', 'context', 'invalid-action', 'world-failure'])),
  fewestTurns: v.optional(whole),
  mostTurns: v.optional(whole),
  /** Part of an action's text, and of an observation's. */
  action: v.optional(words),
  observation: v.optional(words),
  /** True: the same action is chosen twice in a row. */
  repeats: v.optional(v.boolean()),
});

const schema = v.strictObject({ ...taskFields, kind: v.literal('episode'), where });

type Episode = v.InferOutput<typeof schema>;

/** Answer to such a task. */
const episodeAnswer = v.strictObject({ step: whole, group: whole, member: whole });

const repeatsIn = ({ turns }: Trajectory) => turns.some(({ action }, k) => k > 0 && action === turns[k - 1].action);

/** True if an episode has all properties. */
function isSuch(episode: Trajectory, asked: Episode['where']): boolean {
  const { success, ending, fewestTurns = 0, mostTurns = Infinity, action, observation, repeats } = asked;
  const { turns } = episode;
  return (
    (success === undefined || episode.success === success) &&
    (ending === undefined || episode.ending === ending) &&
    turns.length >= fewestTurns &&
    turns.length <= mostTurns &&
    (action === undefined || turns.some((turn) => turn.action.includes(action))) &&
    (observation === undefined || turns.some((turn) => turn.observation.includes(observation))) &&
    (repeats === undefined || repeatsIn(episode) === repeats)
  );
}

export const episode: TaskKind<Episode> = {
  schema,
  check(task, given) {
    const needed = JSON.stringify(task.where);
    const answer = v.safeParse(episodeAnswer, given.answer);
    if (!answer.success) return { passed: false, measured: 'no answer', needed };
    const { step, group, member } = answer.output;
    const measured = `step ${step}, group ${group}, episode ${member}`;
    const found = given.trajectories(step)?.find((each) => each.group === group && each.member === member);
    if (!found) return { passed: false, measured: `${measured}: not in the file`, needed };
    return { passed: isSuch(found, task.where), measured, needed };
  },
};
