/**
 * Key combinations in the format of WebArena's driver: names joined by +. All but the last are held while the last is
 * pressed.
 */

/** A key unknown to the driver, such as `Ctrl+v` from WebArena's own example. */
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

/** Parses a combination. Meta counts as Control, because WebArena's runner replaces it on systems other than macOS. */
export function parseCombination(keys: string): { control: boolean; name: string } {
  const parts = keys.split('+');
  // The plus key itself: `+`, `Control++`.
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
