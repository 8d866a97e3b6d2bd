// Declarations as TypeDoc reads them: every type has a page, and the file's comment belongs to the module.
import { expect, it } from 'vitest';
import { exportedAll } from '../../scripts/api-docs.mjs';

it('exports every declaration once, and names the module in the comment of the file', () => {
  const text =
    '/**\n * The worlds.\n */\n\ninterface A {\n    b: B;\n}\n\n/** B. */\ntype B = string;\n\nexport { A };\n';
  expect(exportedAll(text, 'worlds')).toBe(
    '/**\n * The worlds.\n * @module tabgym/worlds\n */\n\nexport interface A {\n    b: B;\n}\n\n/** B. */\nexport type B = string;\n\n\n',
  );
  expect(exportedAll(text, 'index')).toContain('@module tabgym\n');
});
