/**
 * An episode by the rules of AgentGym's servers (agentenv-tool at 3ef9235), with their faults. It continues after its
 * end, as there.
 */
import type { Feedback } from '../../envs/env.ts';
import { type Literal, LiteralDict, literalEqual, literalText } from '../../python/literal.ts';
import { agentGymAction, jsonOf } from './calls.ts';
import { Episode } from './episode.ts';
import { type Instance, type OriginalRules, PythonError } from './family.ts';
import type { ToolsOptions } from './options.ts';
import { extract, parseAction } from './original-text.ts';
import { type Arguments, type Call, finishTool, keyOfCall, listingTool, type Tool } from './tool.ts';

const formatError =
  'Format error, please response in the format of  "Action: [your action] with Action Input: [your action input]';

export class OriginalEpisode extends Episode {
  private best = 0;
  private reward = 0;
  private ended = false;
  private readonly results: Literal[] = [];
  private readonly source;

  constructor(
    instance: Instance,
    tools: readonly Tool[],
    options: ToolsOptions,
    private readonly rules: OriginalRules,
  ) {
    super(instance, tools, options);
    this.source = instance.original();
  }

  get opening(): string {
    return `Now new trial starts.\nYou should perform actions to accomplish the goal: ${this.instance.goal}\nGive me one action.`;
  }

  protected write(call: Call): string {
    return agentGymAction(call);
  }

  protected success(): boolean {
    return this.ended && this.reward === 1;
  }

  step(action: string): Feedback {
    const found = extract(action);
    if (!found) {
      this.note({ call: action.slice(0, 500), answer: formatError, ok: false, changed: [] });
      const reward = this.rules.reward(this.best, false, false);
      return { observation: formatError, reward, done: false, valid: false, validActions: null };
    }
    const { observation, ok } = this.take(found);
    this.reward = this.rules.reward(this.best, this.ended, this.ended && this.source.stateMatches());
    this.done = this.done || this.ended;
    const call = `${found.action} with Action Input: ${found.input}`.slice(0, 500);
    this.note({ call, answer: observation, ok, changed: [] });
    const shown = `Observation: ${observation}\nGive me one action.`;
    return this.listing({ observation: shown, reward: this.reward, done: this.ended, valid: ok });
  }

  private take(found: { action: string; input: string }): { observation: string; ok: boolean } {
    const { aliases, ends = /[Ff]inish/ } = this.rules;
    let isRead = false;
    try {
      const { name, input } = parseAction(found);
      isRead = true;
      const observation = this.answerTo(aliases?.[name] ?? name, input);
      this.ended = ends.test(`${found.action} with Action Input: ${found.input}`);
      if (!observation.includes('Invalid')) this.count();
      return { observation, ok: !observation.startsWith('ERROR') };
    } catch (error) {
      if (!(error instanceof PythonError)) throw error;
      if (isRead && this.rules.countsErrors) {
        this.ended = false;
        if (!error.message.includes('Invalid')) this.count();
      }
      return { observation: `ERROR | ${error.type}(${error.message})`, ok: false };
    }
  }

  private answerTo(name: string, input: Literal): string {
    const known = this.tools.some((tool) => tool.name === name);
    if (known && name === listingTool.name)
      return `You can use following valid actions: ${literalText(this.tools.map((tool) => tool.name))}`;
    if (!known) return this.rules.unknown?.(name, this.tools) ?? `ERROR | Invalid action: ${name}.`;
    const { observation, subgoal } = this.source.call(name, input);
    this.results.push(subgoal);
    if (input instanceof LiteralDict) this.made.add(keyOfCall({ name, arguments: jsonOf(input) as Arguments }));
    if (name === finishTool) this.given = jsonOf(subgoal);
    return literalText(observation);
  }

  /** Share of the subgoals among the results so far; the best one counts. */
  private count(): void {
    const share = this.source.share?.();
    if (share !== undefined) {
      this.best = Math.max(this.best, share);
      return;
    }
    const left = [...this.results];
    const matched = this.source.subgoals.filter((subgoal) => {
      const at = left.findIndex((each) => literalEqual(each, subgoal));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
    this.best = Math.max(this.best, matched.length / this.source.subgoals.length);
  }
}
