// One declaration file for each entry of the package: what the entry exports, and every type that this refers to, in one
// text without imports. Reads the declarations that `tsc -p tsconfig.package.json` writes.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Declarations, imports and exports of a file. */
function readModule(file, modules) {
  const known = modules.get(file);
  if (known) return known;
  const text = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, text);
  const module = { file, declared: new Map(), imported: new Map(), exported: new Map(), all: [] };
  modules.set(file, module);
  const pathOf = (source) => {
    if (!source.startsWith('.')) throw new Error(`${file} refers to the package ${source}: export a type of our own.`);
    return join(dirname(file), source).replace(/\.ts$/, '.d.ts');
  };
  for (const statement of program.body) readStatement(statement, { module, text, comments, pathOf });
  return module;
}

/** The comment that ends directly before a place of the text. */
function commentBefore(start, text, comments) {
  const last = comments.filter(({ end }) => end <= start && text.slice(end, start).trim() === '').at(-1);
  return last?.type === 'Block' && last.value.startsWith('*') ? `${text.slice(last.start, last.end)}\n` : '';
}

function readStatement(statement, { module, text, comments, pathOf }) {
  const { type, source } = statement;
  if (type === 'ImportDeclaration')
    for (const { imported, local } of statement.specifiers)
      module.imported.set(local.name, { source: source.value, pathOf, name: imported?.name ?? '*' });
  else if (type === 'ExportAllDeclaration') module.all.push(pathOf(source.value));
  else if (type === 'ExportNamedDeclaration' && !statement.declaration)
    for (const { local, exported } of statement.specifiers)
      module.exported.set(
        exported.name,
        source ? { file: pathOf(source.value), name: local.name } : { name: local.name },
      );
  else {
    const declaration = statement.declaration ?? statement;
    const names = declaration.declarations?.map(({ id }) => id.name) ?? [declaration.id?.name];
    const body = text.slice(declaration.start, declaration.end).replace(/^declare /, '');
    const piece = { node: declaration, text: body, comment: commentBefore(statement.start, text, comments) };
    for (const name of names) {
      if (name === undefined) continue;
      // An overloaded function has several declarations.
      module.declared.set(name, [...(module.declared.get(name) ?? []), piece]);
      if (type === 'ExportNamedDeclaration') module.exported.set(name, { name });
    }
  }
}

/** Names that a declaration refers to. */
function namesIn(node, names = new Set()) {
  if (Array.isArray(node)) for (const each of node) namesIn(each, names);
  else if (node && typeof node === 'object') {
    if (node.type === 'Identifier') names.add(node.name);
    for (const [key, value] of Object.entries(node))
      if (key !== 'type' && typeof value === 'object') namesIn(value, names);
  }
  return names;
}

/** The file and name where an exported or imported name is declared; null: it is a global. */
function whereIs(module, name, modules) {
  if (module.declared.has(name)) return { module, name };
  const imported = module.imported.get(name);
  if (!imported) return null;
  return exportedFrom(imported.pathOf(imported.source), imported.name, modules);
}

function exportedFrom(file, name, modules) {
  const module = readModule(file, modules);
  const found = module.exported.get(name);
  if (found?.file) return exportedFrom(found.file, found.name, modules);
  if (found) return whereIs(module, found.name, modules);
  for (const other of module.all) {
    const place = exportedFrom(other, name, modules);
    if (place) return place;
  }
  return null;
}

const keyOf = ({ module, name }) => `${module.file} ${name}`;

/** Adds a declaration and all that it refers to. */
function collect(place, state) {
  const key = keyOf(place);
  if (state.places.has(key)) return;
  const other = state.taken.get(place.name);
  if (other && other !== key) throw new Error(`Two declarations have the name ${place.name}: ${other} and ${key}.`);
  state.taken.set(place.name, key);
  state.places.set(key, place);
  for (const { node } of place.module.declared.get(place.name))
    for (const name of namesIn(node)) {
      const used = name === place.name ? null : whereIs(place.module, name, state.modules);
      if (used) collect(used, state);
    }
}

/** The declarations of an entry as one text. `file`: the entry's own declarations. */
export function bundledDeclarations(file) {
  const modules = new Map();
  const entry = readModule(file, modules);
  const state = { modules, places: new Map(), taken: new Map() };
  const exported = [...entry.exported].map(([name, { file: from, name: local }]) => {
    const place = from ? exportedFrom(from, local, modules) : whereIs(entry, local, modules);
    if (!place) throw new Error(`${file} exports ${name}, which is declared nowhere.`);
    collect(place, state);
    return { name, place };
  });
  const header = /^\/\*\*[\s\S]*?\*\/\n/.exec(readFileSync(file, 'utf8'))?.[0] ?? '';
  const blocks = [...state.places.values()].map(({ module, name }) =>
    module.declared
      .get(name)
      .map((piece) => `${piece.comment}${modifierOf(piece)}${piece.text}`)
      .join('\n'),
  );
  const names = exported.map(({ name, place }) => (name === place.name ? name : `${place.name} as ${name}`)).sort();
  return `${header}\n${blocks.join('\n\n')}\n\nexport { ${names.join(', ')} };\n`;
}

/** A type needs no `declare`. */
const modifierOf = ({ node }) => (/^TS(Interface|TypeAlias)/.test(node.type) ? '' : 'declare ');
