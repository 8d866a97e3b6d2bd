/** Worksheet of a lesson as one HTML page to print: its tasks with room to write, its questions with boxes to tick. */
import { msg, str } from '@lit/localize';
import { escapeXml } from '../../rl/evaluation/svg-chart.ts';
import { currentLocale } from '../kit/locale.ts';
import type { Lesson, Part } from '../state/lesson.ts';

const style = `@page{margin:18mm}body{font:11pt/1.45 system-ui,sans-serif;max-width:46em;margin:0 auto;padding:1em;color:#000}
h1{font-size:17pt;margin:0 0 .2em}h2{font-size:12.5pt;margin:1.2em 0 .3em}p{margin:.3em 0}.head{display:flex;gap:2em;margin:1em 0}
.head span{flex:1;border-bottom:1px solid #000;min-height:1.6em}li.part,li.question{break-inside:avoid;margin-bottom:.8em}
.lines{height:4.2em;background:repeating-linear-gradient(#fff,#fff 1.35em,#888 1.35em,#888 calc(1.35em + 1px));print-color-adjust:exact}
ul.choices{list-style:none;padding:0}ul.choices li::before{content:"☐ "}`;

const choicesOf = (choices: readonly { text(): string }[]) =>
  `<ul class="choices">${choices.map(({ text }) => `<li>${escapeXml(text())}</li>`).join('')}</ul>`;

const lines = '<div class="lines"></div>';

function partOf({ title, text, ask }: Part): string {
  const words = text().map((each) => `<p>${escapeXml(each)}</p>`);
  const question = ask ? `<p><strong>${escapeXml(ask.text())}</strong></p>${choicesOf(ask.choices)}` : '';
  const notes = escapeXml(ask ? msg('Why do you think so?') : msg('What did you see? Numbers, step, episode.'));
  return `<li class="part"><h2>${escapeXml(title())}</h2>${words.join('')}${question}<p><em>${notes}</em></p>${lines}</li>`;
}

/** The page in the language of the page. `address`: opens the lesson. */
export function worksheetOf(lesson: Lesson, address: string): string {
  const questions = lesson.questions.map(
    ({ text, choices }) =>
      `<li class="question"><p><strong>${escapeXml(text())}</strong></p>${choicesOf(choices)}${lines}</li>`,
  );
  const title = escapeXml(lesson.title());
  const minutes = escapeXml(msg(str`About ${lesson.minutes} minutes`));
  return `<!doctype html>
<html lang="${currentLocale()}"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head><body>
<h1>${title}</h1><p>${escapeXml(lesson.aim())}</p><p>${minutes}. <a href="${escapeXml(address)}">${escapeXml(address)}</a></p>
<div class="head"><span>${escapeXml(msg('Name'))}</span><span>${escapeXml(msg('Date'))}</span></div>
<ol>${lesson.parts.map(partOf).join('')}</ol>
<h2>${escapeXml(msg('Two questions'))}</h2><ol>${questions.join('')}</ol></body></html>
`;
}
