/**
 * The functions of an original environment: takes their arguments out of what an agent wrote, in the order in which the
 * original reads them, and returns what is compared with the subgoals.
 */
import type { Literal } from '../../python/literal.ts';
import type { Original, OriginalAnswer } from './family.ts';
import { item, sorted } from './original-values.ts';
import { finishTool, type Tool } from './tool.ts';

/** Answer of an original function; `ok` is false if it failed without an exception. */
export interface LiteralAnswer {
  ok: boolean;
  value: Literal;
}

export abstract class OriginalTools implements Original {
  private readonly parameters: { readonly [name: string]: readonly string[] };

  readonly subgoals: readonly Literal[];

  /** `answer`: the right one; the original's own data hold lists in order, as `finish` sorts them. */
  constructor(tools: readonly Tool[], answer: Literal) {
    this.subgoals = [Array.isArray(answer) ? sorted(answer) : answer];
    this.parameters = Object.fromEntries(tools.map(({ name, parameters }) => [name, Object.keys(parameters)]));
  }

  /** Calls a function other than `finish`. Throws PythonError. */
  protected abstract answerTo(name: string, given: readonly Literal[]): LiteralAnswer;

  call(name: string, input: Literal): OriginalAnswer {
    const given = this.parameters[name].map((key) => item(input, key));
    if (name === finishTool) return this.finish(given[0]);
    const { ok, value } = this.answerTo(name, given);
    return { observation: value, subgoal: ok ? this.subgoalOf(value) : 'failed' };
  }

  private finish(answer: Literal): OriginalAnswer {
    const observation = Array.isArray(answer) ? sorted(answer) : answer;
    return { observation, subgoal: this.subgoalOf(observation) };
  }

  /** Form of a result that is compared with the subgoals. */
  protected subgoalOf(value: Literal): Literal {
    return value;
  }

  stateMatches(): boolean {
    return true;
  }
}
