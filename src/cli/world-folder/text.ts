/** Files of an exported world as texts: Dockerfile, manifests, README. */
import agentgymReadme from './agentgym.md?raw';
import app from './app.py?raw';
import openenvReadme from './openenv.md?raw';

export interface WorldFacts {
  /** Name of the packages: lower-case letters, digits and underscores, a letter first. */
  name: string;
  /** Name for people. */
  title: string;
  tasks: { train: number; test: number };
  /** Versions of the server's packages on npm. */
  packages: { [name: string]: string };
}

/** Port that each protocol's programs expect. */
// not a kind: a protocol
const ports = { openenv: 8000, agentgym: 36_001 } as const;
export type WorldTarget = keyof typeof ports;
export const worldTargets = Object.keys(ports) as WorldTarget[];

const dockerfile = (port: number) => `FROM node:22-slim
WORKDIR /app
COPY package.json ./
RUN npm install --omit=dev --no-audit --no-fund
COPY world.js ./
COPY build ./build
USER node
EXPOSE ${port}
HEALTHCHECK --interval=30s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:${port}/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "build/cli/world-server.js", "world.js", "--host", "0.0.0.0", "--port", "${port}"]
`;

const packageJson = ({ name, title, packages }: WorldFacts, port: number) =>
  `${JSON.stringify(
    {
      ...{ name: name.replaceAll('_', '-'), version: '1.0.0', private: true, type: 'module', description: title },
      engines: { node: '>=20.19' },
      scripts: { start: `node build/cli/world-server.js world.js --port ${port}` },
      dependencies: packages,
    },
    null,
    2,
  )}\n`;

const pyproject = ({ name, title }: WorldFacts) => `[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "openenv-${name.replaceAll('_', '-')}"
version = "1.0.0"
description = ${JSON.stringify(title)}
requires-python = ">=3.10"
dependencies = ["openenv>=0.2.2"]

[project.scripts]
server = "${name}.server.app:main"

[tool.setuptools]
packages = ["${name}", "${name}.server"]
package-dir = { "${name}" = ".", "${name}.server" = "server" }
`;

const manifest = ({ name }: WorldFacts, port: number) => `spec_version: 1
name: ${name}
type: space
runtime: fastapi
app: server.app:main
port: ${port}
validation:
  reward:
    range: [0.0, 1.0]
    oracle_tolerance: 0.0
    floor_margin: 0.3
  resources:
    cpu: 1
    memory_mb: 512
    disk_mb: 512
    episode_timeout_s: 60
  network:
    mode: no-network
  capabilities:
    verifier:
      kind: reward_channel
  types:
    tags: [text, multi-turn]
`;

const emptyLock = 'version = 1\nrevision = 3\nrequires-python = ">=3.10"\n';

const filled = (text: string, { name, title, tasks }: WorldFacts) => {
  const all = tasks.train + tasks.test;
  const values = { TITLE: title, PACKAGE: name, TASKS: all, LAST_TRAIN: tasks.train - 1, LAST: all - 1 };
  return text.replace(/\b(TITLE|PACKAGE|TASKS|LAST_TRAIN|LAST)\b/g, (word) =>
    String(values[word as keyof typeof values]),
  );
};

/** Texts by path, without the code and the server. */
export function worldFolderTexts(facts: WorldFacts, target: WorldTarget): { [path: string]: string } {
  const port = ports[target];
  const shared = {
    Dockerfile: dockerfile(port),
    'package.json': packageJson(facts, port),
    '.dockerignore': 'node_modules\n',
  };
  if (target === 'agentgym') return { ...shared, 'README.md': filled(agentgymReadme, facts) };
  return {
    ...shared,
    'README.md': filled(openenvReadme, facts),
    'openenv.yaml': manifest(facts, port),
    'pyproject.toml': pyproject(facts),
    'uv.lock': emptyLock,
    '__init__.py': '',
    'server/__init__.py': '',
    'server/app.py': app,
  };
}
