// Removes comments and indentation from the style sheets in `css` templates: the minifier leaves templates as they
// are, and a first visit loads them.

/** The same code with smaller `css` templates. A sheet's strings hold no comment and no line break. */
export const smallerSheets = (code) =>
  code.replace(/\bcss`[^`]*`/g, (sheet) =>
    sheet.replace(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g, '').replace(/\n\s+/g, '\n'),
  );

export const cssTemplates = () => ({
  name: 'css-templates',
  apply: 'build',
  enforce: 'pre',
  transform: {
    filter: { id: /\/src\/.*\.ts$/, code: 'css`' },
    handler: (code) => ({ code: smallerSheets(code), map: null }),
  },
});
