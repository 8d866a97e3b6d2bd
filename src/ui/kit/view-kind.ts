/** Contract of the module that draws one kind of world view. */
import type { TemplateResult } from 'lit';
import type { WorldView } from '../../envs/env.ts';

/**
 * The group of a stored episode, for a view that compares its episodes. The page replays them when the view sends the
 * event `world-group`.
 */
export interface GroupViews {
  state: 'none' | 'loading' | 'error' | 'ready';
  /** View of each episode after its last turn, the shown one included; empty before they are replayed. */
  views: readonly WorldView[];
}

export interface ViewKind {
  /** Kind of the views that it draws (`WorldView.kind`). */
  kind: string;
  /** Imports the module that defines the element. */
  load(): Promise<unknown>;
  /** `typed`: the text typed for the next action, or null if nobody plays. `group`: null if the episode has none. */
  render(view: WorldView, typed: string | null, group: GroupViews | null): TemplateResult;
  /**
   * Actions of each key: a press sends the first of them that the text offers. When play starts, a view with keys has
   * the focus.
   */
  keys?: { readonly [key: string]: readonly string[] };
  /**
   * If true, letters typed on the view go to the action's input line; Backspace deletes one, Enter sends the action.
   */
  types?: boolean;
  /** Description of the keys for screen readers. */
  keysLabel?(): string;
  /** What an abbreviated observation means, in a sentence; empty for any other. */
  explain?(observation: string): string;
  /** True if this view has its own form for the action, which replaces the input line and the list of valid actions. */
  hasForm?(view: WorldView): boolean;
  /** True if the view is taller than a screen: on a narrow screen the input line is then placed above it. */
  tall?: boolean;
}
