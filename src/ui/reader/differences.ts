/**
 * Aligns two conversations: equal messages, messages of the same place that differ, and the differing words in them.
 * Pure; `diff` finds the differences (Myers 1986, https://doi.org/10.1007/BF01840446).
 */
import { diffArrays, diffWordsWithSpace } from 'diff';
import type { Message } from '../../trajectories/files/record.ts';

/** Part of a text; `differs`: true if only this side has it. */
export interface TextPart {
  text: string;
  differs: boolean;
}

export interface DifferenceSide {
  /** Index of the message in its conversation. */
  at: number;
  message: Message;
  stretches: TextPart[];
}

/** Row of two aligned messages; null: the other conversation has no counterpart. */
export interface DifferenceRow {
  same: boolean;
  left: DifferenceSide | null;
  right: DifferenceSide | null;
}

/** Largest total length, in characters, that is compared word by word; more would block the page. */
const mostLetters = 40_000;
const timeoutMs = 60;

const key = ({ role, content, reasoning }: Message) => JSON.stringify([role, content, reasoning]);

export function wordDifferences(left: string, right: string): { left: TextPart[]; right: TextPart[] } {
  const whole = { left: [{ text: left, differs: true }], right: [{ text: right, differs: true }] };
  if (left.length + right.length > mostLetters) return whole;
  const parts = diffWordsWithSpace(left, right, { timeout: timeoutMs });
  if (!parts) return whole;
  const side = (without: 'added' | 'removed', own: 'added' | 'removed') =>
    parts.filter((part) => !part[without]).map((part) => ({ text: part.value, differs: part[own] === true }));
  return { left: side('added', 'removed'), right: side('removed', 'added') };
}

function pairOf(left: DifferenceSide | null, right: DifferenceSide | null): DifferenceRow {
  if (!left || !right) return { same: false, left, right };
  const words = wordDifferences(left.message.content, right.message.content);
  return { same: false, left: { ...left, stretches: words.left }, right: { ...right, stretches: words.right } };
}

/**
 * Aligns two stretches that differ: pairs messages of the same role, and leaves a gap on one side where the roles
 * differ.
 */
function hunk(left: DifferenceSide[], right: DifferenceSide[]): DifferenceRow[] {
  const out: DifferenceRow[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i] ?? null, right[j] ?? null];
    const alike = a && b && a.message.role === b.message.role;
    if (alike || !a || !b) {
      out.push(pairOf(a, b));
      i++;
      j++;
    } else if (left.length - i >= right.length - j) {
      out.push(pairOf(a, null));
      i++;
    } else {
      out.push(pairOf(null, b));
      j++;
    }
  }
  return out;
}

export function alignedMessages(left: readonly Message[], right: readonly Message[]): DifferenceRow[] {
  const side = (message: Message, at: number, differs: boolean): DifferenceSide => ({
    at,
    message,
    stretches: [{ text: message.content, differs }],
  });
  const out: DifferenceRow[] = [];
  let [i, j] = [0, 0];
  let removed: DifferenceSide[] = [];
  let added: DifferenceSide[] = [];
  const flush = () => {
    out.push(...hunk(removed, added));
    [removed, added] = [[], []];
  };
  for (const part of diffArrays(left.map(key), right.map(key)))
    for (const _ of part.value) {
      if (part.removed) removed.push(side(left[i], i++, true));
      else if (part.added) added.push(side(right[j], j++, true));
      else {
        flush();
        out.push({ same: true, left: side(left[i], i++, false), right: side(right[j], j++, false) });
      }
    }
  flush();
  return out;
}
