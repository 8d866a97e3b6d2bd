/** The comparison as an SVG figure: cosines of the gradients, and the shares of the batch. Pure. */
import type { ComparedObjective } from '../../rl/compare-objectives.ts';
import { escapeXml } from '../../rl/evaluation/svg-chart.ts';
import type { ShareRow } from '../state/comparison.ts';

interface FigureTexts {
  title: string;
  cosines: string;
  shares: string;
  /** Meaning of the colours: up, down. */
  up: string;
  down: string;
}

const [cell, labelWidth, rowHeight] = [74, 130, 18];
const colors = { ink: '#40444a', grid: '#dddcd5', up: '#1757c2', down: '#ad231b' };

const text = (x: number, y: number, words: string, more = '') =>
  `<text x="${x}" y="${y}" ${more}>${escapeXml(words)}</text>`;

const opacity = (value: number) => Math.min(1, Math.abs(value)).toFixed(3);

/** Names above the columns. */
const heads = (names: readonly string[], y: number) =>
  names.map((name, k) => text(labelWidth + (k + 0.5) * cell, y, name, 'text-anchor="middle"')).join('');

function matrix(objectives: readonly ComparedObjective[], top: number): string {
  return objectives
    .map(({ label, cosines }, i) => {
      const y = top + i * rowHeight;
      const cells = cosines.map((value, j) => {
        const x = labelWidth + j * cell;
        const fill = value === null ? 'none' : value < 0 ? colors.down : colors.up;
        const shown = value === null ? '–' : value.toFixed(2);
        return `<rect x="${x}" y="${y}" width="${cell}" height="${rowHeight}" fill="${fill}" fill-opacity="${opacity((value ?? 0) * 0.35)}" stroke="${colors.grid}"/>${text(x + cell / 2, y + 13, shown, 'text-anchor="middle"')}`;
      });
      return text(labelWidth - 6, y + 13, label, 'text-anchor="end"') + cells.join('');
    })
    .join('');
}

function bars(rows: readonly ShareRow[], top: number): string {
  const most = Math.max(1e-9, ...rows.flatMap(({ shares }) => shares.map((share) => Math.abs(share ?? 0))));
  return rows
    .map(({ label, shares }, i) => {
      const y = top + i * rowHeight;
      const cells = shares.map((share, j) => {
        if (share === null) return '';
        const [width, middle] = [((cell / 2 - 4) * Math.abs(share)) / most, labelWidth + (j + 0.5) * cell];
        const x = share < 0 ? middle - width : middle;
        return `<rect x="${x.toFixed(2)}" y="${y + 3}" width="${width.toFixed(2)}" height="${rowHeight - 6}" fill="${share < 0 ? colors.down : colors.up}"/><path d="M${middle} ${y}v${rowHeight}" stroke="${colors.grid}"/>`;
      });
      return text(labelWidth - 6, y + 13, label.slice(0, 20), 'text-anchor="end"') + cells.join('');
    })
    .join('');
}

/** Figure of the methods and the rows that are shown. */
export function comparisonSvg(
  objectives: readonly ComparedObjective[],
  rows: readonly ShareRow[],
  texts: FigureTexts,
): string {
  const names = objectives.map(({ label }) => label.slice(0, 11));
  const width = labelWidth + objectives.length * cell + 10;
  const sharesTop = 78 + objectives.length * rowHeight + 58;
  const height = sharesTop + rows.length * rowHeight + 14;
  const head = text(10, 20, texts.title, 'font-weight="bold"');
  const legend = `${text(10, sharesTop - 42, texts.shares, 'font-weight="bold"')}<rect x="10" y="${sharesTop - 34}" width="9" height="9" fill="${colors.up}"/>${text(23, sharesTop - 26, texts.up)}<rect x="${labelWidth + 60}" y="${sharesTop - 34}" width="9" height="9" fill="${colors.down}"/>${text(labelWidth + 73, sharesTop - 26, texts.down)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11" fill="${colors.ink}"><rect width="100%" height="100%" fill="#ffffff"/>${head}${text(10, 44, texts.cosines, 'font-weight="bold"')}${heads(names, 64)}${matrix(objectives, 70)}${legend}${heads(names, sharesTop - 6)}${bars(rows, sharesTop)}</svg>\n`;
}
