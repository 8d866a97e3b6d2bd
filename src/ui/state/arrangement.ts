/**
 * Arrangement of the page: `simple` for a first visit (the world, one button, one chart), `lab` with every panel. The
 * choice is stored in this browser. An address that names something opens the lab, unless it names the arrangement too.
 */
import { remember } from '../kit/remember.ts';
import type { PageLink } from './link.ts';
import { formatHash, type Selection } from './selection.ts';

export type Arrangement = 'simple' | 'lab';

const key = 'tabgym.arrangement';

export const rememberedArrangement = (): Arrangement => (localStorage.getItem(key) === 'lab' ? 'lab' : 'simple');

export const rememberArrangement = (arrangement: Arrangement): void => remember(key, arrangement);

/** True if an address names a run, a place in it, an experiment, a lesson, or controls to hide. */
const namesSomething = ({ lang, view, hide, ...named }: PageLink, selection: Selection): boolean =>
  hide.length > 0 || Object.values(named).some((each) => each !== null) || formatHash(selection) !== '';

/** Arrangement for an address: the one it names, the lab if it names anything else, otherwise the remembered one. */
export const arrangementOf = (link: PageLink, selection: Selection, remembered: Arrangement): Arrangement =>
  link.view ?? (namesSomething(link, selection) ? 'lab' : remembered);
