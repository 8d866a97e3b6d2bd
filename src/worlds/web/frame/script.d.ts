/** Built by scripts/frame-script.mjs. */
declare module 'virtual:web-frame' {
  const script: string;
  export default script;
}
