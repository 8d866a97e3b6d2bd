/** Document with the fields that name worlds. */
interface Naming {
  world?: string;
  worlds?: readonly { name: string }[];
  stages?: readonly { worlds?: readonly { name: string }[] }[];
}

export function importsOf(file: string, text: string): string[];
export function isNamedAfter(file: string, world: string): boolean;
export function namesWorld(document: Naming, world: string): boolean;
export function withoutListLines(file: string, text: string, gone: ReadonlySet<string>): string;
export function removeWorld(root: string, world: string): { removed: string[]; changed: string[] };
export function testsNaming(root: string, world: string): string[];
