/**
 * The oracle's thought before an action: the lines of the terse page that the action depends on. Before a click or
 * typing, the line of the element. Before an answer, the line that holds it and those above, from the nearest one that
 * the objective names, as far as four lines above; where it names none of them, from the line before. An answer that no
 * line holds, and any other action, has no thought.
 */
import { type Action, parseAction } from '../../webarena/actions.ts';
import type { Line } from './terse-text.ts';

const mostAbove = 4;

export function thoughtBefore(action: string, lines: readonly Line[], objective: string): Line[] {
  const parsed: Action = parseAction(action);
  if ('element' in parsed) return lines.filter(({ id }) => id === parsed.element);
  return parsed.kind === 'stop' ? toTheAnswer(parsed.answer, lines, objective) : [];
}

/** Of several lines that hold the answer, the nearest below a line that the objective names. */
function toTheAnswer(answer: string, lines: readonly Line[], objective: string): Line[] {
  const words = objective.toLowerCase();
  const isNamed = ({ name }: Line) => name.length > 1 && words.includes(name.toLowerCase());
  const holding = lines.flatMap(({ name }, k) => (answer && name === answer ? [k] : []));
  const ways = holding.map((end) => {
    const above = Array.from({ length: Math.min(mostAbove, end) }, (_, k) => end - 1 - k);
    const named = above.find((k) => isNamed(lines[k]));
    return { from: named ?? Math.max(0, end - 1), end, distance: named === undefined ? Infinity : end - named };
  });
  const [best] = ways.toSorted((a, b) => a.distance - b.distance);
  return best ? lines.slice(best.from, best.end + 1) : [];
}
