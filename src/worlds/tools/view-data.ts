/** Data of the view of a world of tools: the calls with their answers, the state beside them, and the form of a call. */
import type { WorldView } from '../../envs/env.ts';
import type { Tool } from './tool.ts';

export interface ToolsView extends WorldView {
  kind: 'tools';
  goal: string;
  calls: CallSeen[];
  tables: StateTable[];
  tools: readonly Tool[];
  /** Values that texts have shown, by parameter, as suggestions for the form. */
  suggestions: { [parameter: string]: string[] };
  /** Result of the episode; null before its end. */
  outcome: Outcome | null;
}

export interface CallSeen {
  /** The call as a command, or the agent's text if it is no call. */
  call: string;
  answer: string;
  ok: boolean;
  /** Effects on the state. */
  changed: readonly string[];
}

export interface StateTable {
  title: string;
  columns: string[];
  rows: StateRow[];
}

export interface StateRow {
  cells: string[];
  /** `seen`: an answer has shown it. */
  change: '' | 'changed' | 'gone' | 'new' | 'seen';
}

interface Outcome {
  success: boolean;
  answer: string;
  right: string;
  answerIsRight: boolean;
  stateIsRight: boolean;
  /** Subgoals reached, of all. */
  reached: number;
  all: number;
}
