// The output buffer, and the phrases that texts are made of. The sentences are AgentGym's (MIT,
// https://github.com/WooooDyy/AgentGym), byte for byte, unless marked as this project's.
import { isDoorLook, LOOK_WALL, colorOfLook, typeOfLook, stateOfLook, isItemLook } from './world';

/** The buffer for all texts of a call: 256 worlds of at most 12 KB. */
export const TEXT_BYTES: i32 = 256 * 12288;
export const text: usize = heap.alloc(usize(TEXT_BYTES) + 64);
export let out: usize = 0;
export function startText(offset: i32): void {
  out = text + offset;
}
export function textEnd(): i32 {
  return i32(out - text);
}

// A phrase is its length followed by its bytes, padded so that eight bytes can be copied at a time.
export type Phrase = usize;
export function phrase(words: string): Phrase {
  const p = heap.alloc(4 + ((words.length + 8) & ~7) + 8);
  store<u32>(p, words.length);
  for (let i = 0; i < words.length; i++) store<u8>(p + i, u8(words.charCodeAt(i)), 4);
  return p;
}
@inline export function put(p: Phrase): void {
  const length = load<u32>(p);
  for (let i: u32 = 0; i < length; i += 8) store<u64>(out + i, load<u64>(p + i, 4));
  out += length;
}
@inline export function putByte(byte: u8): void {
  store<u8>(out++, byte);
}
export function putNumber(n: i32): void {
  if (n >= 100) putByte(u8(48 + (n / 100) % 10));
  if (n >= 10) putByte(u8(48 + (n / 10) % 10));
  putByte(u8(48 + n % 10));
}
export const SPACE: u8 = 32;
export const COMMA = phrase(', ');

const colorWords: StaticArray<string> = ['red', 'green', 'blue', 'purple', 'yellow', 'grey'];
const stateWords: StaticArray<string> = ['open', 'closed', 'locked'];
const typeWords: StaticArray<string> = ['', '', 'wall', '', 'door', 'key', 'ball', 'box'];
function nameOf(look: u8): string {
  if (look == LOOK_WALL) return 'wall';
  const state = isDoorLook(look) ? stateWords[stateOfLook(look)] + ' ' : '';
  const color = colorOfLook(look);
  return color > 5 ? '' : colorWords[color] + ' ' + state + typeWords[typeOfLook(look)];
}

// Tables of phrases: names by look, places by view cell (AgentGym's and the short form's), verbs by action kind.
export const names = new StaticArray<Phrase>(64);
export const places = new StaticArray<Phrase>(49);
export const shortPlaces = new StaticArray<Phrase>(49);
export const verbs = new StaticArray<Phrase>(10);
const verbWords: StaticArray<string> = [
  'turn left', 'turn right', 'move forward', 'pickup', 'drop', 'go through', 'toggle and go through', 'toggle', 'go to',
  'check available actions',
];
export const colors = new StaticArray<Phrase>(6);
export const types = new StaticArray<Phrase>(8);

function placeWords(ahead: i32, aside: i32): string {
  if (aside == 0) return ' right in front of you ' + ahead.toString() + ' steps away. ';
  const side = aside > 0 ? 'right' : 'left';
  return ' ' + ahead.toString() + ' steps in front of you and ' + abs(aside).toString() + ' steps to your ' + side + '. ';
}
function shortPlaceWords(ahead: i32, aside: i32): string {
  const front = ahead > 0 ? ' ahead ' + ahead.toString() : '';
  return aside == 0 ? front : front + (aside > 0 ? ' right ' : ' left ') + abs(aside).toString();
}
export function prepareText(): void {
  for (let look = 0; look < 64; look++) {
    names[look] = phrase(look == LOOK_WALL || isDoorLook(u8(look)) || isItemLook(u8(look)) ? nameOf(u8(look)) : '');
  }
  for (let cell = 0; cell < 49; cell++) {
    places[cell] = phrase(placeWords(6 - cell / 7, (cell % 7) - 3));
    shortPlaces[cell] = phrase(shortPlaceWords(6 - cell / 7, (cell % 7) - 3));
  }
  for (let kind = 0; kind < 10; kind++) verbs[kind] = phrase(verbWords[kind]);
  for (let color = 0; color < 6; color++) colors[color] = phrase(colorWords[color]);
  for (let type = 0; type < 8; type++) types[type] = phrase(typeWords[type]);
}
