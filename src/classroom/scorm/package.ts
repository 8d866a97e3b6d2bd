/**
 * A SCORM 1.2 package (ADL, SCORM 1.2 Content Aggregation Model): a manifest, the launcher, and the whole page, so that
 * a platform serves it from its own address and nothing is fetched from elsewhere.
 */

import { escapeXml } from '../../rl/evaluation/svg-chart.ts';
import { zip } from '../../store/zip.ts';
import launcher from './launcher.js?raw';

export interface ScormContent {
  /** `lesson:ID` or `assignment:HASH`; the page names it in its reports. */
  id: string;
  title: string;
  /** Fragment of the page's address that opens the content. */
  hash: string;
  /** Sends an xAPI statement too, if the launch names a record store. */
  xapi: boolean;
}

const encode = (text: string) => new TextEncoder().encode(text);

/** Identifiers of the manifest: letters, digits, `-` and `_`. */
const identifier = (id: string) => `tabgym-${id.replace(/[^A-Za-z0-9_-]/g, '-')}`;

function manifest({ id, title }: ScormContent, files: readonly string[]): string {
  const name = identifier(id);
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="${name}" version="1.0"
  xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.imsproject.org/xsd/imscp_rootv1p1p2 imscp_rootv1p1p2.xsd http://www.adlnet.org/xsd/adlcp_rootv1p2 adlcp_rootv1p2.xsd">
  <metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
  <organizations default="${name}-all">
    <organization identifier="${name}-all">
      <title>${escapeXml(title)}</title>
      <item identifier="${name}-item" identifierref="${name}-sco" isvisible="true"><title>${escapeXml(title)}</title></item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="${name}-sco" type="webcontent" adlcp:scormtype="sco" href="index.html">
${files.map((file) => `      <file href="${escapeXml(file)}"/>`).join('\n')}
    </resource>
  </resources>
</manifest>
`;
}

const page = (content: ScormContent): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeXml(content.title)}</title>
<style>html,body{margin:0;height:100%}body{display:grid;grid-template-rows:auto 1fr}#said{margin:0;font:14px sans-serif;padding:0 8px}iframe{border:0;width:100%;height:100%}</style></head>
<body><p id="said" role="status"></p><iframe id="page" title="${escapeXml(content.title)}"></iframe>
<script src="launcher.js" data-settings="${escapeXml(JSON.stringify(content))}"></script></body></html>
`;

/** The zip. `site`: files of the built page, by their path in it. */
export function scormPackage(content: ScormContent, site: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Uint8Array {
  const own = new Map([
    ['index.html', encode(page(content))],
    ['launcher.js', encode(launcher)],
  ]);
  for (const [name, bytes] of site) own.set(`site/${name}`, bytes);
  const names = [...own.keys()].sort();
  const entries = [
    ['imsmanifest.xml', encode(manifest(content, names))] as const,
    ...names.map((name) => [name, own.get(name)!] as const),
  ];
  return zip(entries.map(([name, bytes]) => ({ name, bytes, stored: false })));
}
