// Serves one world at the root, as OpenEnv's clients expect of a Space. TABGYM_WORLD names another; a Space's own host name
// is in SPACE_HOST, and requests may name it.
const { SPACE_HOST: host, TABGYM_WORLD: world = 'textcraft', PORT: port = '8000' } = process.env;
process.argv.splice(2, Infinity, 'serve', '--host', '0.0.0.0', '--port', port, '--world', world);
if (host) process.argv.push('--allow-host', host);
await import('./node_modules/tabgym/bin/tabgym.mjs');
