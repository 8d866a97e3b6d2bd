/**
 * Base of families that only ask questions, over data that no call changes: an instance that answers calls, notes
 * the values that its answers show, and offers calls made of them.
 */
import type { Json } from '../../envs/env.ts';
import {
  type Answer,
  type Draw,
  type Instance,
  impossible,
  type Original,
  type TaskKind,
  type Template,
} from './family.ts';
import { Shown } from './shown.ts';
import { type Arguments, type Call, finishTool, type Tool } from './tool.ts';
import type { StateTable } from './view-data.ts';

/** A question over some data. */
export interface Question<Data> {
  data: Data;
  goal: string;
  answer: Json;
  /** Calls whose answers a solver needs, in their order. */
  reads: readonly Call[];
  /** Names in the goal that a call may take. */
  named: readonly string[];
}

export abstract class QuestionInstance<Data, Kind extends string> implements Instance {
  readonly goal: string;
  readonly answer: Json;
  readonly reads: readonly Call[];
  readonly data: Data;
  protected readonly named: readonly string[];
  readonly shown = new Shown<Kind>();

  constructor({ data, goal, answer, reads, named }: Question<Data>) {
    [this.data, this.goal, this.answer, this.reads, this.named] = [data, goal, answer, reads, named];
  }

  get version(): number {
    return this.shown.count;
  }

  abstract call(call: Call): Answer;
  abstract brief(call: Call, answer: Answer): string;
  /** Arguments for a tool other than `finish`. */
  protected abstract argumentsFor(tool: Tool): Arguments[];
  /** Answers made of what was shown. */
  protected abstract answers(): Json[];
  abstract tables(): StateTable[];

  /** Maker of the original's rules over the same data. */
  originalOf: (() => Original) | null = null;

  original(): Original {
    if (!this.originalOf) throw new Error(`${this.constructor.name} has no original: set originalOf.`);
    return this.originalOf();
  }

  changes(): Call[] {
    return [];
  }

  offers(tool: Tool): Arguments[] {
    return tool.name === finishTool ? this.answers().map((answer) => ({ answer })) : this.argumentsFor(tool);
  }
}

/** A question without its data. `answer`: `impossible` if left out. */
export interface Plot {
  goal: string;
  answer?: Json;
  reads?: readonly Call[];
  named?: readonly string[];
}

/** Data from which a family makes its templates. */
export interface QuestionFamily<Data, Scene extends { data: Data }, Made extends QuestionInstance<Data, string>> {
  /** Draws data in which some things are chosen. */
  sceneOf(draw: Draw): Scene;
  instanceOf(question: Question<Data>): Made;
  originalOf(instance: Made): Original;
  /** All names that a call may take. */
  namesOf(data: Data): readonly string[];
}

export const templateMaker =
  <Data, Scene extends { data: Data }, Made extends QuestionInstance<Data, string>>({
    sceneOf,
    instanceOf,
    originalOf,
    namesOf,
  }: QuestionFamily<Data, Scene, Made>) =>
  (name: string, kind: TaskKind, plot: (scene: Scene) => Plot, heldOut = false): Template => ({
    name,
    kind,
    heldOut,
    make(draw) {
      const scene = sceneOf(draw);
      const { goal, answer = impossible, reads = [], named = [] } = plot(scene);
      const known = namesOf(scene.data).filter((each) => goal.includes(each));
      const instance = instanceOf({ data: scene.data, goal, answer, reads, named: [...known, ...named] });
      instance.originalOf = () => originalOf(instance);
      return instance;
    },
  });

export const callOf = (name: string, given: Arguments = {}): Call => ({ name, arguments: given });
export const yesNo = (value: boolean): string => (value ? 'Yes' : 'No');

/** Format of an answer, stated at the end of a goal. */
export const ask = {
  number: 'Answer with a number.',
  name: 'Answer with the name.',
  names: 'Answer with a list of names.',
  date: 'Answer with the date as YYYY-MM-DD.',
  yes: 'Answer Yes or No.',
} as const;

/** A number with at most one decimal; never a negative zero. */
export const tenths = (value: number): number => Math.round(value * 10) / 10 + 0;
