// Stretches a chosen commit so that a kill can fall inside it. After the last write of the transaction has been sent,
// the thread reports this and stays busy; the transaction cannot end before the thread returns to its event loop.
const channel = new BroadcastChannel('crash');
let armedIn = 0;
channel.onmessage = ({ data }) => {
  if (typeof data.stretchCommit === 'number') armedIn = data.stretchCommit;
};

const STRETCH_MS = 2000;
const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (value: unknown, key?: IDBValidKey) {
  const request = put.call(this, value, key);
  // A step's commit writes its record first and the manifest last; a claim writes only the manifest.
  if (this.name === 'records') committing = true;
  if (this.name === 'manifests' && committing) {
    committing = false;
    if (armedIn > 0 && --armedIn === 0) stretch();
  }
  return request;
};
let committing = false;

function stretch(): void {
  channel.postMessage({ insideCommit: true });
  const until = Date.now() + STRETCH_MS;
  while (Date.now() < until);
}
