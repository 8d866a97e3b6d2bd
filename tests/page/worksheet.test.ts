/** Worksheets of all lessons: every task and question is on them, as text and not as markup. */
import { expect, test } from 'vitest';
import { escapeXml } from '../../src/rl/evaluation/svg-chart.ts';
import { lessons } from '../../src/ui/lessons/registry.ts';
import { worksheetOf } from '../../src/ui/lessons/worksheet.ts';

test.each(lessons.map((lesson) => [lesson.id, lesson] as const))('%s', (id, lesson) => {
  const page = worksheetOf(lesson, `https://example.org/?a=1&b=2#lesson=${id}`);
  expect(page).toContain('?a=1&amp;b=2');
  const asked = [...lesson.questions, ...lesson.parts.flatMap(({ ask }) => (ask ? [ask] : []))];
  const texts = [
    lesson.title(),
    lesson.aim(),
    ...lesson.parts.flatMap(({ title, text }) => [title(), ...text()]),
    ...asked.flatMap(({ text, choices }) => [text(), ...choices.map((each) => each.text())]),
  ];
  for (const text of texts) expect(page).toContain(escapeXml(text));
  expect(page.match(/<li>/g)).toHaveLength(asked.reduce((sum, { choices }) => sum + choices.length, 0));
});
