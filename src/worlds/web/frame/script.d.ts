/** Built by scripts/frame-script.mjs. */
declare module 'virtual:frame/web' {
  const script: string;
  export default script;
}
