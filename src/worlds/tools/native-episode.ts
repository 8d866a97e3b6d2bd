/** An episode by the project's own rules: success needs the right answer and exactly the right state. */
import type { Feedback } from '../../envs/env.ts';
import { CallError, commandOf, plainText, readCall } from './calls.ts';
import { Episode } from './episode.ts';
import { type Answer, doneAnswer } from './family.ts';
import { withNames, withoutNames } from './named-calls.ts';
import { type Call, finishTool, keyOfCall, listingTool } from './tool.ts';

/** Reward for all subgoals of an episode that does not succeed. */
const PARTIAL_REWARD = 0.5;

export class NativeEpisode extends Episode {
  get opening(): string {
    return this.options.observation === 'brief' ? this.instance.goal : `Goal: ${this.instance.goal}`;
  }

  protected write(call: Call): string {
    return commandOf(this.options.names ? withNames(call, this.instance) : call);
  }

  private read(action: string): Call {
    const call = readCall(action, this.tools);
    return this.options.names ? withoutNames(call, this.instance) : call;
  }

  protected success(): boolean {
    return this.answerIsRight() && this.stateIsRight();
  }

  step(action: string): Feedback {
    if (this.done) return this.feedback('The episode is over.', false);
    try {
      const call = this.read(action);
      return call.name === finishTool ? this.finish(call) : this.apply(call);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      this.note({ call: action.slice(0, 500), answer: error.message, ok: false, changed: [] });
      return this.feedback(this.options.observation === 'brief' ? 'refused' : `Error: ${error.message}`, false);
    }
  }

  private finish(call: Call): Feedback {
    this.given = call.arguments.answer ?? doneAnswer;
    this.done = true;
    this.note({ call: commandOf(call), answer: '', ok: true, changed: [] });
    return this.feedback(this.success() ? 'The goal is reached.' : 'The goal is not reached.', true);
  }

  private apply(call: Call): Feedback {
    const answer: Answer =
      call.name === listingTool.name
        ? { ok: true, value: this.tools.map(({ name }) => name) }
        : this.instance.call(call);
    if (answer.ok) this.made.add(keyOfCall(call));
    const full = answer.ok ? JSON.stringify(answer.value) : `Error: ${plainText(answer.value)}`;
    const shown = this.options.observation === 'brief' ? this.brief(call, answer) : full;
    // A person reads the reason of a refusal; a tiny policy reads a word.
    const seen = answer.ok ? shown : plainText(answer.value);
    this.note({ call: commandOf(call), answer: seen, ok: answer.ok, changed: answer.changed ?? [] });
    return answer.ok ? this.listing(this.feedback(shown, true)) : this.feedback(shown, false);
  }

  private brief(call: Call, answer: Answer): string {
    if (!answer.ok) return 'refused';
    return call.name === listingTool.name ? (answer.value as string[]).join(' ') : this.instance.brief(call, answer);
  }

  private feedback(observation: string, valid: boolean): Feedback {
    return { observation, reward: this.reward(), done: this.done, valid, validActions: null };
  }

  private reward(): number {
    if (this.done && this.success()) return 1;
    if (!this.options.partial) return 0;
    const { reached, all } = this.subgoals();
    return (PARTIAL_REWARD * reached) / all;
  }
}
