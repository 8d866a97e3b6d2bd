/**
 * Actions of a phone in MagicGUI's grammar (arXiv 2508.03700): fifteen functions with coordinates from 0 to 999. A short
 * form by element numbers, for tiny policies, is read beside it.
 */
const directions = ['up', 'down', 'left', 'right'] as const;
export type Direction = (typeof directions)[number];

export type Action =
  | { name: 'tap' | 'long_press'; x: number; y: number }
  | { name: 'scroll'; x: number; y: number; direction: Direction }
  | { name: 'text'; x: number; y: number; text: string }
  | { name: 'drag'; x1: number; y1: number; x2: number; y2: number }
  | { name: 'call_api'; app: string; operation: string }
  | { name: 'take_over'; message: string }
  | { name: (typeof plainNames)[number] };

const plainNames = [
  'navigate_back',
  'navigate_home',
  'finish',
  'wait',
  'enter',
  'screen_shot',
  'long_screen_shot',
  'no_answer',
] as const;

/** A refused action: the name of the error, and a sentence that states what to do. */
export class ActionError extends Error {
  override name = 'ActionError';
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(message);
  }
}

/** Maximum number of characters of an action. */
export const mostLetters = 2000;

const signatures = {
  tap: 'tap(x,y)',
  long_press: 'long_press(x,y)',
  scroll: 'scroll(x,y,direction)',
  text: 'text(x,y,text)',
  drag: 'drag(x1,y1,x2,y2)',
  call_api: 'call_api(app,operation)',
} as const;

/** Parameters of a call, of which the last takes the rest of the text. */
function partsOf(inside: string, count: number, name: keyof typeof signatures): string[] {
  const parts = inside.split(',');
  if (parts.length < count)
    throw new ActionError('bad-arguments', `${name} has too few arguments. Write it as ${signatures[name]}.`);
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(',')].map((each) => each.trim());
}

const unquoted = (text: string) => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;

function coordinate(text: string): number {
  if (!/^\d{1,4}(\.\d{1,6})?$/.test(text))
    throw new ActionError('bad-arguments', `"${text.slice(0, 40)}" is not a coordinate. Write a number from 0 to 999.`);
  const value = Number(text);
  if (value > 999)
    throw new ActionError('outside-screen', `${value} is outside the screen. Coordinates are from 0 to 999.`);
  return value;
}

const pointsOf = (inside: string, count: number, name: keyof typeof signatures) =>
  partsOf(inside, count, name).map(coordinate);

function readCall(name: string, inside: string): Action {
  switch (name) {
    case 'tap':
    case 'long_press': {
      const [x, y] = pointsOf(inside, 2, name);
      return { name, x, y };
    }
    case 'scroll': {
      const [x, y, direction] = partsOf(inside, 3, name);
      if (!directions.includes(unquoted(direction) as Direction))
        throw new ActionError(
          'bad-arguments',
          `"${direction.slice(0, 40)}" is not a direction. Use ${directions.join(', ')}.`,
        );
      return { name, x: coordinate(x), y: coordinate(y), direction: unquoted(direction) as Direction };
    }
    case 'text': {
      const [x, y, text] = partsOf(inside, 3, name);
      return { name, x: coordinate(x), y: coordinate(y), text: unquoted(text) };
    }
    case 'drag': {
      const [x1, y1, x2, y2] = pointsOf(inside, 4, name);
      return { name, x1, y1, x2, y2 };
    }
    case 'call_api': {
      const [app, operation] = partsOf(inside, 2, name).map(unquoted);
      return { name, app, operation };
    }
    case 'take_over':
      return { name, message: unquoted(inside.trim()) };
    default:
      return readPlain(name, inside);
  }
}

/** MagicGUI's prompt calls the end `action_completed`. */
const otherNames: { readonly [name: string]: string } = { action_completed: 'finish', Finish: 'finish' };

function readPlain(written: string, inside: string): Action {
  const name = otherNames[written] ?? written;
  const found = plainNames.find((each) => each === name);
  if (!found) throw unknown(written);
  if (inside.trim()) throw new ActionError('bad-arguments', `${name} has no arguments. Write it as ${name}().`);
  return { name: found };
}

const unknown = (written: string) =>
  new ActionError(
    'unknown-action',
    `"${written.slice(0, 60)}" is not an action. The actions are ${Object.values(signatures).join(', ')}, take_over(message), ${plainNames.map((each) => `${each}()`).join(', ')}.`,
  );

/** Reads an action in MagicGUI's grammar. Throws ActionError. */
export function readAction(text: string): Action {
  const trimmed = text.trim();
  if (trimmed.length > mostLetters)
    throw new ActionError(
      'bad-arguments',
      `The action has ${trimmed.length} characters, at most ${mostLetters} are read.`,
    );
  const found = /^(\w+)\s*\(([\s\S]*)\)$/.exec(trimmed);
  if (found) return readCall(found[1], found[2]);
  if (/^(no_answer|action_completed|finish)$/.test(trimmed)) return readPlain(trimmed, '');
  throw unknown(trimmed);
}

/** Writes an action in MagicGUI's grammar. */
export function writeAction(action: Action): string {
  const { name, ...given } = action;
  return `${name}(${Object.values(given).join(',')})`;
}
