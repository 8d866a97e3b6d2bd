import { chromium } from 'playwright-core';
import { createServer } from 'node:http';
import { readFileSync, statSync } from 'node:fs';
import { join, extname } from 'node:path';
const types={'.html':'text/html','.js':'text/javascript','.css':'text/css','.svg':'image/svg+xml','.json':'application/json'};
const folder='build/page-mock';
const server=createServer((q,r)=>{const {pathname}=new URL(q.url,'http://x');const f=join(folder,pathname==='/'?'index.html':pathname);if(!statSync(f,{throwIfNoEntry:false})?.isFile()){r.writeHead(404).end();return}r.writeHead(200,{'content-type':types[extname(f)]??'application/octet-stream','Cross-Origin-Opener-Policy':'same-origin','Cross-Origin-Embedder-Policy':'require-corp'}).end(readFileSync(f))});
await new Promise(r=>server.listen(0,'127.0.0.1',r));
const url=`http://127.0.0.1:${server.address().port}/`;
const b=await chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox']});
async function shot(name,address,{width=1440,height=900,colorScheme='light',act}={}){
 const c=await b.newContext({viewport:{width,height},colorScheme,reducedMotion:'reduce'});const p=await c.newPage();
 p.on('console',m=>m.type()==='error'&&console.log(name,m.text().slice(0,200)));
 p.on('pageerror',e=>console.log(name,e.message));
 await p.goto(address.startsWith('file')?address:url+address);await p.waitForTimeout(1800);
 if(act) await act(p);
 await p.screenshot({path:`/work/tmp/surface/look-${name}.png`});await c.close();
}
const which=process.argv.slice(2);
const all={
 'zh-wide':()=>shot('zh-wide','?mock=paused#run=run-1&step=30&tab=group&lang=zh-Hans'),
 'zh-empty':()=>shot('zh-empty','?mock=empty#lang=zh-Hans',{colorScheme:'dark'}),
 'zh-narrow':()=>shot('zh-narrow','?mock=running#lang=zh-Hans',{width:390,height:844}),
 'en-narrow':()=>shot('en-narrow','?mock=running',{width:390,height:844}),
 'baby':()=>shot('baby','?mock=babyai#run=run-1&step=30&group=0&member=1&turn=1&tab=trajectory',{act:async p=>{await p.getByRole('searchbox').fill('level');await p.waitForTimeout(400)}}),
 'report':()=>shot('report','file:///work/tmp/surface/r.html',{height:1400}),
 'embed':()=>shot('embed','?mock=running&embed#run=run-1',{width:800,height:520}),
 'share':()=>shot('share','?mock=paused#run=run-1',{colorScheme:'dark',act:async p=>{await p.getByRole('button',{name:'Share'}).click();await p.waitForTimeout(900)}}),
};
for(const w of which.length?which:Object.keys(all)) await all[w]();
await b.close();server.close();
