/** Key combinations as WebArena's driver takes them: names joined by +, the last one pressed while the others are held. */

/** The driver knows no such key; WebArena's own example `Ctrl+v` is one. */
export class KeyError extends Error {
  override name = 'KeyError';
}

const modifiers = new Set(['Control', 'Shift', 'Alt', 'Meta', 'ControlOrMeta']);
const known = new Set(
  (
    'Backquote Minus Equal Backslash Backspace Tab Delete Escape ArrowDown End Enter Home Insert PageDown PageUp ArrowRight ArrowUp ' +
    'ArrowLeft Space F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 Control Shift Alt Meta'
  ).split(' '),
);

/** `Control` also stands for Meta, as WebArena's runner replaces it off a Mac. */
export function parseCombination(keys: string): { control: boolean; name: string } {
  const parts = keys.split('+');
  // A plus sign itself: `+`, `Control++`.
  const last = parts.length > 1 && parts.at(-1) === '' ? '+' : parts.at(-1)!;
  const held = parts.slice(0, -1).filter((part) => part !== '');
  const unknown = [
    ...held.filter((part) => !modifiers.has(part)),
    ...([...last].length === 1 || known.has(last) ? [] : [last]),
  ];
  if (unknown.length) throw new KeyError(`Unknown key: "${unknown[0]}"`);
  const control = held.some((part) => part === 'Control' || part === 'Meta' || part === 'ControlOrMeta');
  const name = last === 'Space' ? ' ' : last;
  return { control, name: held.includes('Shift') && name === 'Tab' ? 'Shift+Tab' : name };
}
