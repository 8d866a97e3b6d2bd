// Texts of foreign files and servers reach the terminal in many lines: names of fields, errors, questions. A control
// character in them could clear the screen, set the window's title, or overwrite a line, and one that turns the
// direction of text could make a line read as another. `import './visible-output.mjs'` writes them as escapes in all
// that `console` prints. Colours stay, which are those of the builder, but none that hides text.
import { format } from 'node:util';

const colour = '(?:[0-4]|2[2-4]|3[1-79]|9[0-7])m';
const hidden = new RegExp(`\u001b\\[${colour}|\r\n|[^\\P{Cc}\t\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]`, 'gu');

/** The text with control characters and marks of direction as escapes, but for line ends, tabs and colours. */
const visible = (text) =>
  text.replace(hidden, (found) =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

for (const name of ['log', 'info', 'warn', 'error']) {
  const print = console[name].bind(console);
  console[name] = (...values) => print('%s', visible(format(...values)));
}
