/**
 * The grammar that the household knows: the texts of ALFWorld's `alfred.twl2` (MIT) in both dialects, as data. A game's
 * grammar is compared with it where an action reaches it, and a grammar is written from it.
 */
import { WorldError } from '../../../envs/env.ts';

/** `put`: ALFWorld to 0.3.3, `put X in/on Y`. `move`: 0.4 on, `move X to Y`, with a command for help. */
export type Dialect = 'put' | 'move';

/** A production: its condition, empty for none, and its right side. */
type Production = readonly [condition: string, text: string];

const openable = 'openable(r:receptacle)';
const here = 'atlocation(a:agent, l:location)';
const stands = 'receptacleatlocation(r:receptacle, l:location)';
const beside = `${here} & objectatlocation(o:object, l:location) & ${stands} & not_inreceptacle(o:object, r:receptacle)`;
const contents = "[{o.indefinite + ' ' + o.name | inreceptacle(o:object, r:receptacle)}]";
const clean = 'isclean(o:object)';
const hot = 'ishot(o:object)';
const cool = 'iscool(o:object)';
const sliced = 'issliced(o:object)';

const helpText = [
  '\nAvailable commands:',
  '  look:                             look around your current location',
  '  inventory:                        check your current inventory',
  '  go to (receptacle):               move to a receptacle',
  '  open (receptacle):                open a receptacle',
  '  close (receptacle):               close a receptacle',
  '  take (object) from (receptacle):  take an object from a receptacle',
  '  move (object) to (receptacle):  place an object in or on a receptacle',
  '  examine (something):              examine a receptacle or an object',
  '  use (object):                     use an object',
  '  heat (object) with (receptacle):  heat an object using a receptacle',
  '  clean (object) with (receptacle): clean an object using a receptacle',
  '  cool (object) with (receptacle):  cool an object using a receptacle',
  '  slice (object) with (object):     slice an object using a sharp object\n',
].join('\n');

const special = (state: string): string => `This is a ${state} {o.name}.`;

/** Rules of a dialect, without the task. */
function rulesOf(dialect: Dialect): { [name: string]: readonly Production[] } {
  const put = dialect === 'put';
  return {
    intro: [['', '-= Welcome to TextWorld, ALFRED! =-\n\n#look.feedback#\n\n#task#']],
    'GotoLocation.feedback': [['', `You arrive at {${put ? 'lend' : 'r'}.name}. #examineReceptacle.feedback#`]],
    'OpenObject.feedback': [['', 'You open the {r.name}. #examineReceptacle.feedback#']],
    'CloseObject.feedback': [['', 'You close the {r.name}.']],
    'PickupObject.feedback': [['', 'You pick up the {o.name} from the {r.name}.']],
    'PutObject.feedback': [
      ['', put ? 'You put the {o.name} in/on the {r.name}.' : 'You move the {o.name} to the {r.name}.'],
    ],
    'inventory.feedback': [
      ['holdsany(a:agent)', "You are carrying: [{o.indefinite + ' ' + o.name | holds(a:agent, o:object)}]."],
      ['', 'You are not carrying anything.'],
    ],
    'examineReceptacle.feedback': [
      [`${openable} & opened(r:receptacle)`, `The {r.name} is open. In it, you see ${contents}.`],
      [openable, 'The {r.name} is closed.'],
      ['', `On the {r.name}, you see ${contents}.`],
    ],
    'examineObject.feedback': [
      [
        'isreceptacleobject(o:object)',
        "This is a normal {o.name}. In it, you see [{o2.indefinite + ' ' + o2.name | inreceptacleobject(o2:object, o:object)}].",
      ],
      [`${clean} & ${hot} & ${sliced}`, special('hot and clean sliced')],
      [`${clean} & ${cool} & ${sliced}`, special('cool and clean sliced')],
      [`${clean} & ${sliced}`, special('clean sliced')],
      [`${hot} & ${sliced}`, special('hot sliced')],
      [`${cool} & ${sliced}`, special('cool sliced')],
      [`${clean} & ${hot}`, special('hot and clean')],
      [`${clean} & ${cool}`, special('cool and clean')],
      [hot, special('hot')],
      [clean, special('clean')],
      [cool, special('cold')],
      ['toggleable(o:object) & istoggled(o:object)', 'This {o.name} is on.'],
      ['toggleable(o:object) & not_istoggled(o:object)', 'This {o.name} is off.'],
      [`sliceable(o:object) & ${sliced}`, special('sliced')],
      ['', "There's nothing special about {o.name}."],
    ],
    'toggleObject.feedback': [
      ['toggleable(o:object) & istoggled(o:object)', 'You turn on the {o.name}.'],
      ['toggleable(o:object)', 'You turn off the {o.name}.'],
      ['', "You don't see any switch on the {o.name}."],
    ],
    'heatObject.feedback': [['', 'You heat the {o.name} using the {r.name}.']],
    'cleanObject.feedback': [['', 'You clean the {o.name} using the {r.name}.']],
    'coolObject.feedback': [['', 'You cool the {o.name} using the {r.name}.']],
    'sliceObject.feedback': [['', 'You sliced the {co.name} with the {ko.name}.']],
    'look.feedback': [
      [`${here} & ${stands}`, '#look-variations#. Next to it, you see #list_objects_on_the_floor#.'],
      ['', 'You are in the middle of a room. Looking quickly around you, you see #list_appliances#.'],
    ],
    'look-variations': [['', `You are facing the [{r.name | ${here} & ${stands}}]`]],
    list_objects_on_the_floor: [
      [beside, `[{#overview(o)# | ${beside}}]`],
      ['', 'nothing'],
    ],
    list_appliances: [
      [stands, `[{#overview(r)# | ${stands}}]`],
      ['', 'nothing'],
    ],
    'overview(o)': [['', '{o.indefinite} {o.name}']],
    'overview(r)': [['', '{r.indefinite} {r.name or r.id}']],
    list_empty: [['', 'nothing']],
    list_separator: [['', ', ']],
    list_last_separator: [['', ', and ']],
    ...(!put && { 'help.feedback': [['', helpText] as const] }),
  };
}

/** Rules that lists use without naming them. */
const listRules = ['list_empty', 'list_separator', 'list_last_separator'];

/** Command and rule of the answer of each action, by its name in the domain. */
function actionsOf(dialect: Dialect): {
  readonly [name: string]: readonly [name: string, template: string, rule: string];
} {
  const entries: readonly (readonly [string, string, string])[] = [
    ['GotoLocation', 'go to [{r.name | receptacleatlocation(r:receptacle, lend:location)}]', 'GotoLocation'],
    ['OpenObject', 'open {r}', 'OpenObject'],
    ['CloseObject', 'close {r}', 'CloseObject'],
    ['PickupObject', 'take {o} from {r}', 'PickupObject'],
    ['PutObject', dialect === 'put' ? 'put {o} in/on {r}' : 'move {o} to {r}', 'PutObject'],
    ['inventory', 'inventory', 'inventory'],
    ['examineReceptacle', 'examine {r}', 'examineReceptacle'],
    ['examineObject', 'examine {o}', 'examineObject'],
    ['ToggleObject', 'use {o}', 'toggleObject'],
    ['HeatObject', 'heat {o} with {r}', 'heatObject'],
    ['CleanObject', 'clean {o} with {r}', 'cleanObject'],
    ['CoolObject', 'cool {o} with {r}', 'coolObject'],
    ['SliceObject', 'slice {co} with {ko}', 'sliceObject'],
    ['look', 'look', 'look'],
    ...(dialect === 'move' ? [['help', 'help', 'help'] as const] : []),
  ];
  return Object.fromEntries(
    entries.map(([name, template, rule]) => [name.toLowerCase(), [name, template, `#${rule}.feedback#`] as const]),
  );
}

// --- reading ----------------------------------------------------------------------------------------------------------

interface ReadGrammar {
  actions: Map<string, { template: string; feedback: string }>;
  rules: Map<string, { condition?: string; rhs?: string }[]>;
}

function addRules(into: ReadGrammar['rules'], block: string): void {
  const lines = block.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  let rules: unknown;
  try {
    rules = JSON.parse(lines.join('\n'));
  } catch {
    throw new WorldError("The game's grammar has a block that is not JSON.");
  }
  for (const [name, productions] of Object.entries(rules as object))
    if (Array.isArray(productions)) into.set(name, productions);
}

const blockPattern = /^grammar\s*::\s*"""([\s\S]*?)"""\s*;/;
const actionPattern = /^action\s+([\w/-]+)\s*\{/;
const textPattern = /^(template|feedback)\s*::\s*"([^"]*)"\s*;/;

/** Reads a grammar's actions and rules. */
function parseGrammar(text: string): ReadGrammar {
  const found: ReadGrammar = { actions: new Map(), rules: new Map() };
  let action: { template: string; feedback: string } | null = null;
  let at = 0;
  for (;;) {
    at += /^(?:\s+|#[^\n]*)*/.exec(text.slice(at))![0].length;
    if (at >= text.length) return found;
    const rest = text.slice(at);
    const block = blockPattern.exec(rest);
    const begins = action ? null : actionPattern.exec(rest);
    const part = action ? textPattern.exec(rest) : null;
    if (block) addRules(found.rules, block[1]);
    else if (begins) {
      action = { template: '', feedback: '' };
      found.actions.set(begins[1].toLowerCase(), action);
    } else if (part) action![part[1] as 'template' | 'feedback'] = part[2];
    else if (action && rest[0] === '}') action = null;
    else throw new WorldError(`The game's grammar cannot be read from "${rest.slice(0, 40)}" on.`);
    at += (block ?? begins ?? part ?? ['}'])[0].length;
  }
}

const references = (text: string): string[] => [...text.matchAll(/#([^#\s][^#]*?)#/g)].map(([, name]) => name);
const taskPattern = /^Your task is to: ([^;|"<>[\]#{}]+)\.$/;

/** Compares the rules that are reached from `start` with the known ones. */
function compareRules(given: ReadGrammar['rules'], dialect: Dialect, start: readonly string[]): void {
  const known = rulesOf(dialect);
  const wanted = [...start];
  const done = new Set(['task']);
  for (const name of wanted) {
    if (done.has(name)) continue;
    done.add(name);
    const [own, theirs] = [known[name], given.get(name)];
    if (!own || !theirs)
      throw new WorldError(
        `The game's grammar ${theirs ? 'has a' : 'lacks the'} rule "${name}"${theirs ? ' that the household does not know' : ''}.`,
      );
    const same =
      own.length === theirs.length &&
      own.every(([condition, text], k) => (theirs[k].condition ?? '') === condition && theirs[k].rhs === text);
    if (!same) throw new WorldError(`The game's rule "${name}" has other texts than the household's.`);
    wanted.push(...own.flatMap(([, text]) => references(text)));
  }
}

/** Dialect and task of a grammar for these actions. Throws with the name of what the household does not know. */
export function readGrammar(text: string, actions: readonly string[]): { dialect: Dialect; task: string } {
  const { actions: given, rules } = parseGrammar(text);
  const dialect = given.get('putobject')?.template.startsWith('put ') ? 'put' : 'move';
  const known = actionsOf(dialect);
  const start = ['intro', ...listRules];
  for (const name of actions) {
    const [own, theirs] = [known[name], given.get(name)];
    if (!own || !theirs)
      throw new WorldError(`The game's grammar has no texts for the action "${name}" that the household knows.`);
    // A patch of older games writes the help itself in place of its rule.
    const inPlace = name === 'help' && theirs.feedback.replaceAll('\\n', '\n') === helpText;
    if (theirs.template !== own[1] || (theirs.feedback !== own[2] && !inPlace))
      throw new WorldError(`The game's action "${name}" has another command or answer: "${theirs.template}".`);
    if (!inPlace) start.push(...references(own[2]));
  }
  compareRules(rules, dialect, start);
  const productions = rules.get('task') ?? [];
  const task = taskPattern.exec(productions[0]?.rhs ?? '')?.[1];
  if (task === undefined || productions[0].condition)
    throw new WorldError(
      `The game's task is not of the form "Your task is to: ...": ${String(productions[0]?.rhs).slice(0, 100)}.`,
    );
  return { dialect, task };
}

// --- writing ----------------------------------------------------------------------------------------------------------

/** The grammar as a text, with a task. */
export function writeGrammar(dialect: Dialect, task: string): string {
  const rules = { ...rulesOf(dialect), task: [['', `Your task is to: ${task}.`]] as readonly Production[] };
  const json = Object.fromEntries(
    Object.entries(rules).map(([name, productions]) => [
      name,
      productions.map(([condition, rhs]) => (condition ? { condition, rhs } : { rhs })),
    ]),
  );
  const actions = Object.values(actionsOf(dialect)).map(
    ([name, template, feedback]) =>
      `action ${name} {\n    template :: "${template}";\n    feedback :: "${feedback}";\n}\n`,
  );
  return `grammar :: """\n${JSON.stringify(json, null, 2)}\n""";\n\n${actions.join('\n')}`;
}
