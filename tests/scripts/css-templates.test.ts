// Style sheets in templates, as the page's build makes them smaller.
import { expect, it } from 'vitest';
import { smallerSheets } from '../../scripts/css-templates.mjs';

it('removes comments and indentation from style sheets, and from nothing else', () => {
  const code = [
    'const a = css`',
    '  /* The bar: *one* row. */',
    '  .bar > :not(a) {',
    '    margin: calc(1px + 2px) /* both */ 0;',
    '  }',
    '  $' + '{shared}',
    '`;',
    'const b = html`',
    '  <pre>/* kept */',
    '    kept</pre>`;',
  ].join('\n');
  expect(smallerSheets(code)).toBe(
    [
      'const a = css`',
      '.bar > :not(a) {',
      'margin: calc(1px + 2px)  0;',
      '}',
      '$' + '{shared}',
      '`;',
      'const b = html`',
      '  <pre>/* kept */',
      '    kept</pre>`;',
    ].join('\n'),
  );
});
