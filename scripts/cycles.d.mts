/** Types of cycles.mjs, for its test. */
interface Imported {
  id: string | null;
  issuer?: string;
  kind?: string;
}
type Tree = { [file: string]: readonly Imported[] };
type Layers = { [folder: string]: string[] };

export function readLayers(readme: string): Layers;
export function wrongDirections(tree: Tree, tables?: { [folder: string]: Layers }): string[];
export function findCircles(tree: Tree): string[];
export function findProblems(): Promise<{ files: number; problems: string[] }>;
