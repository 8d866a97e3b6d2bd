/** A class's results as one page to print, without scripts or requests. All content of a file is escaped. */
import { escapeXml, lineSvg } from '../rl/evaluation/svg-chart.ts';
import type { Assignment } from './assignment.ts';
import { duplicates, inOrder, isGraded, leaderboard, type Mistake, mistakes } from './class-report.ts';
import type { Result } from './grade.ts';
import { type Reason, reasons } from './refused.ts';
import { wordsIn } from './words.ts';

/** The page's own texts, in the teacher's language. */
export interface ClassTexts {
  lang: string;
  file: string;
  name: string;
  points: string;
  result: string;
  curves: string;
  step: string;
  mistakes: string;
  mistake(mistake: Mistake): string;
  noMistakes: string;
  leaderboard: string;
  refused(reason: Reason): string;
  notSeen: string;
}

export const englishTexts: ClassTexts = {
  lang: 'en',
  file: 'File',
  name: 'Name',
  points: 'Points',
  result: 'Result',
  curves: 'Held-out success of all runs, by step',
  step: 'Step',
  mistakes: 'Where the class is stuck',
  mistake: ({ task, failed, of, answers }) => {
    const chosen = answers.map(({ measured, count }) => `“${measured}” ${count}`).join(', ');
    return `${task}: ${failed} of ${of} did not pass${chosen ? ` (${chosen})` : ''}`;
  },
  noMistakes: 'All tasks were passed.',
  leaderboard: 'Leaderboard, without names',
  refused: (reason) => `refused: ${reasons[reason]}`,
  notSeen:
    'Grading does not see who trained a run or typed the answers, help by others, and runs that were not handed in.',
};

const colors = ['#2759cf', '#b34d05', '#0d7567', '#7338c4', '#ad2a68', '#65696f'];

/** A run's line in a class's chart. */
export interface ClassLine {
  label: string;
  points: readonly (readonly [number, number | null])[];
}

/** Success of several runs over each other, by step. */
export const overlaySvg = (
  lines: readonly ClassLine[],
  { title, step, ...size }: { title: string; step: string; width?: number; height?: number },
): string =>
  lineSvg({
    ...{ title, xLabel: step, range: [0, 1], ...size },
    lines: lines.map((line, k) => ({ ...line, color: colors[k % colors.length] })),
  });

/** Held-out success of all graded runs over each other. */
export const curvesSvg = (results: readonly Result[], { curves, step }: ClassTexts): string =>
  overlaySvg(
    results.filter(isGraded).map(({ code, curve }) => ({
      label: code,
      points: curve.flatMap(({ step, heldOut }): (readonly [number, number])[] =>
        heldOut === null ? [] : [[step, heldOut]],
      ),
    })),
    { title: curves, step },
  );

const style = `:root{color-scheme:light}body{font:14px/1.5 system-ui,sans-serif;color:#1b1d20;max-width:1000px;margin:24px auto;padding:0 16px}
table{border-collapse:collapse;width:100%;font-size:13px}th,td{border-bottom:1px solid #ccc;padding:3px 8px;text-align:start;vertical-align:top;overflow-wrap:anywhere}
tr{break-inside:avoid}svg{max-width:100%;height:auto}.small{color:#575b61;font-size:12px}@media print{body{margin:0;max-width:none}}`;

const cells = (values: readonly (string | number)[]) => values.map((each) => `<td>${each}</td>`).join('');

function rowOf(result: Result, same: readonly string[], texts: ClassTexts): string {
  const { file, pupil, most } = result;
  const head = [escapeXml(file), escapeXml(pupil)];
  if (result.status === 'refused')
    return `<tr>${cells([...head, `0/${most}`, `${escapeXml(texts.refused(result.reason))}<div class="small">${escapeXml(result.message)}</div>`])}</tr>`;
  const tasks = result.tasks.map(
    ({ id, passed, measured }) =>
      `${passed === null ? '…' : passed ? '✓' : '✕'} ${escapeXml(id)}: ${escapeXml(measured)}`,
  );
  const copies = same.length ? [`= ${escapeXml(same.join(', '))}`] : [];
  return `<tr>${cells([...head, `${result.points}/${most}`, [...tasks, ...copies].join('<br>')])}</tr>`;
}

/** The page. */
export function classPage(assignment: Assignment, all: readonly Result[], texts: ClassTexts): string {
  const results = inOrder(all);
  const same = duplicates(results);
  const title = escapeXml(wordsIn(assignment.title, texts.lang));
  const rows = results.map((each) => rowOf(each, same.get(each.file) ?? [], texts));
  const wrong = mistakes(assignment, results).map((each) => `<li>${escapeXml(texts.mistake(each))}</li>`);
  const board = leaderboard(results).map(
    ({ place, code, points, measured }) => `<tr>${cells([place, code, points, escapeXml(measured)])}</tr>`,
  );
  const head = [texts.file, texts.name, texts.points, texts.result]
    .map((each) => `<th>${escapeXml(each)}</th>`)
    .join('');
  return `<!doctype html>
<html lang="${escapeXml(texts.lang)}"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head>
<body><h1>${title}</h1>
<table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>
<h2>${escapeXml(texts.curves)}</h2>
${curvesSvg(results, texts)}
<h2>${escapeXml(texts.mistakes)}</h2>
${wrong.length ? `<ul>${wrong.join('')}</ul>` : `<p>${escapeXml(texts.noMistakes)}</p>`}
<h2>${escapeXml(texts.leaderboard)}</h2>
<table><tbody>${board.join('\n')}</tbody></table>
<p class="small">${escapeXml(texts.notSeen)}</p>
</body></html>
`;
}
