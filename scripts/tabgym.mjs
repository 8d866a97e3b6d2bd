#!/usr/bin/env node
// `npx tabgym COMMAND`: the commands of the package. Each is a file of build/cli; `page` serves the built page.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, extname, join, normalize, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import './visible-output.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const commands = {
  train: 'train an experiment, and write a run that the page opens',
  eval: "play a run's policy on a suite of tasks",
  serve: 'serve worlds and policies to other programs',
  proxy: 'serve what a page cannot reach: browsers and retrievers',
  plan: 'print the memory that an experiment needs',
  export: 'write a policy as files that other programs open',
  page: 'serve the page of Tabgym on this machine',
};

const width = Math.max(...Object.keys(commands).map((name) => name.length));
const help = `Usage: tabgym COMMAND [OPTIONS]

Commands:
${Object.entries(commands)
  .map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  .join('\n')}

tabgym COMMAND --help prints the options of a command.
tabgym completion bash|zsh|fish prints a completion for that shell.
tabgym experiments lists the experiments of the package, which train and plan accept by name.`;

const completions = {
  bash: `complete -W "${Object.keys(commands).join(' ')}" -o default tabgym`,
  zsh: `#compdef tabgym\n_arguments '1:command:(${Object.keys(commands).join(' ')})' '*:file:_files'`,
  fish: Object.entries(commands)
    .map(([name, text]) => `complete -c tabgym -n __fish_use_subcommand -a ${name} -d "${text}"`)
    .join('\n'),
};

/** Packages that are installed only by those who use them. */
const optional = ['@opensearch-project/opensearch', 'onnxruntime-web', 'playwright-core', 'webgpu'];

function fail(message) {
  console.error(message);
  process.exit(2);
}

/** An experiment of the package by its name; other words are unchanged. */
function withExperiment(word) {
  const file = join(root, 'experiments', `${word}.json`);
  return /^[\w-]+$/.test(word) && !existsSync(word) && existsSync(file) ? file : word;
}

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.png': 'image/png',
};

/** Headers that isolate the page, so that it may use threads. */
const headers = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

/** The page is a package of its own, because of its size. */
function pageFolder() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('tabgym-page/package.json')), 'page');
  } catch {
    return fail('tabgym page needs the optional package tabgym-page. Install it: npm install tabgym-page');
  }
}

/** Path in an address; empty if it is damaged. */
function pathOf(url) {
  try {
    return normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
  } catch {
    return '';
  }
}

function servePage(words) {
  if (words.includes('--help')) return console.log('Usage: tabgym page [--port 4173]\n\nServes the page on 127.0.0.1.');
  const at = words.indexOf('--port');
  const port = at < 0 ? 4173 : Number(words[at + 1]);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`--port is ${words[at + 1]}: it must be 0 to 65535.`);
  const folder = pageFolder();
  const server = createServer((request, response) => {
    const path = pathOf(request.url);
    const file = join(folder, path.endsWith(sep) ? `${path}index.html` : path);
    const isFile = path !== '' && file.startsWith(folder + sep) && existsSync(file) && statSync(file).isFile();
    response.writeHead(isFile ? 200 : 404, {
      ...headers,
      'content-type': types[extname(file)] ?? 'application/octet-stream',
    });
    response.end(isFile ? readFileSync(file) : 'Not found');
  });
  server.on('error', ({ message }) => fail(`The page cannot be served: ${message}. Choose another --port.`));
  server.listen(port, '127.0.0.1', () => console.log(`Tabgym is at http://127.0.0.1:${server.address().port}/`));
}

async function run(name, words) {
  const file = join(root, 'build/cli', `${name}.js`);
  process.argv = [process.argv[0], file, ...words.map(withExperiment)];
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    const missing = optional.find(
      (each) => error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${each}'`),
    );
    if (missing) fail(`tabgym ${name} needs the optional package ${missing}. Install it: npm install ${missing}`);
    throw error;
  }
}

const [name = '--help', ...words] = process.argv.slice(2);
if (name === '--help' || name === '-h' || name === 'help') console.log(help);
else if (name === '--version') console.log(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
else if (name === 'completion')
  console.log(completions[words[0]] ?? fail('Name a shell: tabgym completion bash|zsh|fish'));
else if (name === 'experiments') {
  for (const file of readdirSync(join(root, 'experiments'))) if (file.endsWith('.json')) console.log(file.slice(0, -5));
} else if (name === 'page') servePage(words);
else if (commands[name]) await run(name, words);
else fail(`There is no command "${name}". Commands: ${Object.keys(commands).join(', ')}.`);
