/** Parser of pages on Node and in workers: linkedom, which needs no browser. A frame uses its own DOM instead. */
import { parseHTML } from 'linkedom';

export function parseWithLibrary(html: string): Document {
  return parseHTML(`<!DOCTYPE html><html lang="en"><head></head><body>${html}</body></html>`)
    .document as unknown as Document;
}
