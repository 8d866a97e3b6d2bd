/** Sentences about changes of the setup that are not applied yet. */
import { msg, str } from '@lit/localize';
import { differences } from '../../experiment/paths.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import { settingCount } from '../kit/counts.ts';
import { listed } from '../kit/format.ts';
import { presetTitle } from '../state/labels.ts';
import type { State } from '../state/state.ts';

/** Changed settings that a sentence names. */
const mostNamed = 3;

/** Names of changed settings; of many, the first ones. */
export function namesOf(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return rest > 1 ? msg(str`${listed(names.slice(0, mostNamed))} and ${settingCount(rest)} more`) : listed(names);
}

/** Consequence of a change that needs a new run. A preset is named by its title. */
export function restartText(
  { presets, preset, draft }: Pick<State, 'presets' | 'preset' | 'draft'>,
  names: readonly string[],
): string {
  if (preset >= 0 && draft && !differences(presets[preset], draft).length)
    return msg(str`The preset “${presetTitle(presets[preset])}” needs a new run. The current run stays in the list.`);
  const shown = namesOf(names);
  return draft && factsOf(draft.policy).ownWeights
    ? msg(str`Changing ${shown} needs a new run, from random weights.`)
    : msg(str`Changing ${shown} needs a new run.`);
}
