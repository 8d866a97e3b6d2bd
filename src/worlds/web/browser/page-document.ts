/**
 * A site's page as a complete HTML document, as shown in a frame and as a server would send it. Its style hides no node
 * of the tree.
 */

export const pageStyle = `
:root { color-scheme: light; font: 15px/1.45 system-ui, sans-serif; color: #1d2433; background: #fff; }
body { margin: 0 auto; padding: 12px 16px 32px; max-width: 860px; }
nav { display: flex; flex-wrap: wrap; gap: 4px 14px; padding: 8px 0; border-bottom: 2px solid #2a5db0; margin-bottom: 10px; }
nav a { font-weight: 600; }
a { color: #1a4f9c; }
h1 { font-size: 1.5rem; margin: 12px 0 8px; }
h2 { font-size: 1.15rem; margin: 16px 0 6px; }
h3 { font-size: 1rem; margin: 8px 0 2px; }
p { margin: 6px 0; }
ul, ol { padding-inline-start: 22px; margin: 6px 0; }
li { margin: 3px 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 16px; margin: 8px 0; }
dt { color: #55607a; }
dd { margin: 0; }
table { border-collapse: collapse; margin: 10px 0; width: 100%; }
caption { text-align: start; font-weight: 600; padding: 4px 0; }
th, td { text-align: start; border-bottom: 1px solid #d5dae5; padding: 4px 8px; }
form { margin: 8px 0; }
fieldset { border: 1px solid #c4cbda; border-radius: 4px; margin: 6px 0; padding: 4px 10px; }
input, textarea, button { font: inherit; }
input[type='text'], input[type='password'], textarea { border: 1px solid #8b95ab; border-radius: 4px; padding: 4px 8px; min-width: 220px; }
p > label[for] { display: inline-block; min-width: 130px; }
button { border: 1px solid #2a5db0; background: #eaf1fd; color: #143a75; border-radius: 4px; padding: 4px 12px; cursor: pointer; }
article { border-inline-start: 3px solid #d5dae5; padding-inline-start: 10px; margin: 8px 0; }
.status { background: #e4f5e7; padding: 6px 10px; border-radius: 4px; }
.alert { background: #fde9e7; padding: 6px 10px; border-radius: 4px; }
:focus-visible { outline: 3px solid #f29d38; outline-offset: 1px; }
`;

const escapeText = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** `head` is inserted after the title: a policy or a script. */
export function pageDocument(title: string, html: string, head = ''): string {
  return (
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${escapeText(title)}</title>${head}` +
    `<style>${pageStyle}</style></head><body>${html}</body></html>`
  );
}
