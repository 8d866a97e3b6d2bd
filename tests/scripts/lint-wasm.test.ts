import { describe, expect, it } from 'vitest';
import { withoutDecorators } from '../../scripts/lint-wasm.mjs';

describe('lint of AssemblyScript', () => {
  it('turns decorators of functions into comments, on the same lines', () => {
    expect(withoutDecorators('@inline\nexport function f(): void {}\n@inline function g(): void {}\n')).toBe(
      '/* @inline */\nexport function f(): void {}\n/* @inline */ function g(): void {}\n',
    );
  });

  it('leaves classes, members and texts alone', () => {
    const source = "@unmanaged\nclass C {\n  @inline\n  get a(): i32 { return 0; }\n}\nconst text = '@inline ';\n";
    expect(withoutDecorators(source)).toBe(source);
  });
});
