/**
 * All keyboard shortcuts of the page: keys, actions, and where they do not apply (in a text field, or on a control that
 * uses the key itself). The help dialog lists this table.
 */
import { msg } from '@lit/localize';
import { remember } from '../kit/remember.ts';
import type { Selection } from '../state/selection.ts';
import type { Controller } from './controller.ts';

export interface Shortcut {
  keys: readonly string[];
  label: string;
  run(app: Controller): void;
}

const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value));

const trajectoriesOf = (app: Controller) => {
  const { detail } = app.store.state;
  return detail.state === 'ready' ? detail.value.trajectories : [];
};

function moveGroup(app: Controller, by: number) {
  const most = trajectoriesOf(app).reduce((max, each) => Math.max(max, each.group), 0);
  app.navigation.select({ group: clamp(app.store.state.selection.group + by, most) });
}

function moveMember(app: Controller, by: number) {
  const { group, member } = app.store.state.selection;
  const most = trajectoriesOf(app).filter((each) => each.group === group).length - 1;
  if (most >= 0) app.navigation.select({ member: clamp(member + by, most) });
}

function moveTurn(app: Controller, by: number) {
  const { group, member, turn } = app.store.state.selection;
  const trajectory = trajectoriesOf(app).find((each) => each.group === group && each.member === member);
  if (trajectory) app.navigation.select({ turn: clamp(turn + by, Math.max(0, trajectory.turns.length - 1)) });
}

/** Down is the next turn in a trajectory and the next episode in a group. */
const moveDown = (app: Controller, by: number) =>
  (app.store.state.selection.tab === 'trajectory' ? moveTurn : moveMember)(app, by);

const goTo = (app: Controller, patch: Partial<Selection>) => {
  app.layout.showPanel('stage');
  app.navigation.select(patch);
};

export const shortcuts = (): Shortcut[] => [
  { keys: [' '], label: msg('Train or pause'), run: (app) => void app.toggle() },
  { keys: ['s'], label: msg('Train one step'), run: (app) => void app.step() },
  { keys: ['w'], label: msg('Watch'), run: (app) => goTo(app, { tab: 'watch' }) },
  { keys: ['g'], label: msg('Group'), run: (app) => goTo(app, { tab: 'group' }) },
  { keys: ['t'], label: msg('Trajectory'), run: (app) => goTo(app, { tab: 'trajectory' }) },
  { keys: ['o'], label: msg('Read trajectories'), run: (app) => goTo(app, { tab: 'read' }) },
  { keys: ['e'], label: msg('Evaluate'), run: (app) => goTo(app, { tab: 'evaluate' }) },
  { keys: ['p'], label: msg('Play'), run: (app) => goTo(app, { tab: 'play' }) },
  { keys: ['c'], label: msg('Talk to a language model'), run: (app) => goTo(app, { tab: 'talk' }) },
  { keys: ['ArrowLeft', 'h'], label: msg('Earlier step'), run: (app) => app.navigation.moveStep(-1) },
  { keys: ['ArrowRight', 'l'], label: msg('Later step'), run: (app) => app.navigation.moveStep(1) },
  { keys: ['ArrowDown', 'j'], label: msg('Next turn or episode'), run: (app) => moveDown(app, 1) },
  { keys: ['ArrowUp', 'k'], label: msg('Previous turn or episode'), run: (app) => moveDown(app, -1) },
  { keys: ['['], label: msg('Previous episode of the group'), run: (app) => moveMember(app, -1) },
  { keys: [']'], label: msg('Next episode of the group'), run: (app) => moveMember(app, 1) },
  { keys: ['{'], label: msg('Previous group'), run: (app) => moveGroup(app, -1) },
  { keys: ['}'], label: msg('Next group'), run: (app) => moveGroup(app, 1) },
  {
    keys: ['f'],
    label: msg('Follow the newest step'),
    run: (app) => app.navigation.select({ step: null, tab: followTab(app) }),
  },
  { keys: ['n'], label: msg('Learn: cards and lessons'), run: (app) => toggleLearn(app) },
  { keys: ['r'], label: msg('Runs'), run: (app) => toggleDrawer(app) },
  { keys: ['m'], label: msg('All notices'), run: (app) => openLog(app) },
  { keys: ['?'], label: msg('Keys and help'), run: (app) => app.layout.showHelp(true) },
  { keys: ['Escape'], label: msg('Close the open part'), run: (app) => void app.layout.openDrawer(null) },
];

const followTab = (app: Controller) =>
  app.store.state.selection.tab === 'trajectory' ? 'group' : app.store.state.selection.tab;

const toggleDrawer = (app: Controller) => {
  if (!hides(app, 'drawer')) void app.layout.openDrawer(app.store.state.drawer ? null : 'runs');
};

const openLog = (app: Controller) => {
  if (!hides(app, 'drawer')) void app.layout.openDrawer('log');
};

/** True if a teacher's link hides the control; its key then does nothing. */
const hides = (app: Controller, control: string) => app.store.state.link.hide.includes(control);

const toggleLearn = (app: Controller) => {
  if (hides(app, 'learn')) return;
  const { learn, panel } = app.store.state;
  const away = matchMedia('(max-width: 860px)').matches && panel !== 'learn';
  app.layout.openLearn(learn && !away ? null : (learn ?? 'lessons'));
};

/** The focused element, looked up through all shadow roots. */
function focused(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

const arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
const textLike = 'input:not([type=checkbox]):not([type=range]), textarea, select';

/** True if the focused control handles the key itself. */
function keepsKey(element: Element | null, key: string): boolean {
  if (!element) return false;
  if (element.matches(textLike)) return true;
  if (key === ' ') return element.matches('button, a, summary, input, [role=option], [role=tab]');
  return arrows.includes(key) && element.matches('input, [role=tab], [role=listbox], [role=slider], .keeps-arrows');
}

/**
 * A dialog receives all keys: Escape closes it unless the event is cancelled
 * (https://html.spec.whatwg.org/multipage/interaction.html#close-requests), and shortcuts must not train or close what
 * is behind it.
 */
const inDialog = (app: Controller, event: KeyboardEvent) =>
  app.store.state.help ||
  app.store.state.sharing ||
  app.store.state.compared !== null ||
  event.composedPath().some((each) => each instanceof HTMLDialogElement && each.open);

const offKey = 'tabgym.keys-off';

/** Single-key shortcuts can be switched off, for people whose speech input or tremor triggers them by accident. */
export const keysEnabled = () => localStorage.getItem(offKey) === null;

export const enableKeys = (on: boolean) => (on ? localStorage.removeItem(offKey) : remember(offKey, '1'));

export function installShortcuts(app: Controller): () => void {
  const table = new Map(shortcuts().flatMap((shortcut) => shortcut.keys.map((key) => [key, shortcut] as const)));
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || inDialog(app, event)) return;
    if (!keysEnabled() && event.key !== 'Escape') return;
    const shortcut = table.get(event.key);
    if (!shortcut || keepsKey(focused(), event.key)) return;
    event.preventDefault();
    shortcut.run(app);
  };
  addEventListener('keydown', listener);
  return () => removeEventListener('keydown', listener);
}

const keyNames: { [key: string]: string } = {
  ' ': 'Space',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};

export const keyName = (key: string) => keyNames[key] ?? key;
