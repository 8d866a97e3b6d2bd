// Page of a SCORM 1.2 package: shows the lesson or the assignment in a frame, and reports its progress to the platform
// (SCORM 1.2 Run-Time Environment, chapter 3) and, if it was launched so, to a record store (xAPI 1.0.3).
// Settings come from `data-settings` of the script element: {title, id, hash, xapi}.
(() => {
  const settings = JSON.parse(document.currentScript.dataset.settings);
  const began = Date.now();
  let finished = false;
  let last = '';
  let isComplete = false;

  /** The platform's API, in a window above or in the one that opened this. */
  const findApi = () => {
    for (const start of [window, window.opener]) {
      let at = start;
      for (let k = 0; at && k < 20; k++) {
        try {
          if (at.API) return at.API;
        } catch {
          break;
        }
        if (at.parent === at) break;
        at = at.parent;
      }
    }
    return null;
  };
  const api = findApi();
  const say = (text) => {
    document.getElementById('said').textContent = text;
  };
  /** Calls the platform. A platform that fails does not keep the page from opening. */
  const call = (name, ...values) => {
    try {
      const result = api[name](...values);
      const code = Number(api.LMSGetLastError());
      if (code) say(`The platform refused ${name} ${values[0] ?? ''}: ${api.LMSGetErrorString(String(code))}`);
      return result;
    } catch (error) {
      say(`The platform failed at ${name} ${values[0] ?? ''}: ${String(error).slice(0, 200)}`);
      return '';
    }
  };

  const two = (value) => String(Math.floor(value)).padStart(2, '0');
  /** CMITimespan of this visit. */
  const timespan = () => {
    const seconds = (Date.now() - began) / 1000;
    return `${two(seconds / 3600).padStart(4, '0')}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
  };

  const begin = () => {
    if (!api) return say('No learning platform was found: nothing is reported.');
    call('LMSInitialize', '');
    const status = call('LMSGetValue', 'cmi.core.lesson_status');
    isComplete = status === 'completed' || status === 'passed';
    if (!isComplete && status !== 'incomplete') call('LMSSetValue', 'cmi.core.lesson_status', 'incomplete');
    call('LMSCommit', '');
  };

  /** `score`: 0 to 100; null: none yet. */
  const report = ({ finished: complete, score }) => {
    const text = JSON.stringify([complete, score]);
    if (text === last || (!complete && score === null)) return;
    last = text;
    if (api) {
      if (score !== null) {
        call('LMSSetValue', 'cmi.core.score.min', '0');
        call('LMSSetValue', 'cmi.core.score.max', '100');
        call('LMSSetValue', 'cmi.core.score.raw', String(score));
      }
      if (complete && !isComplete) call('LMSSetValue', 'cmi.core.lesson_status', 'completed');
      call('LMSCommit', '');
    }
    if (complete && !isComplete)
      sendStatement(score).catch((error) => say(`No statement was sent: ${String(error).slice(0, 200)}.`));
    isComplete ||= complete;
  };

  /** One statement, `completed`, to the record store that the address names, with its own credentials. */
  const sendStatement = async (score) => {
    const query = new URLSearchParams(location.search);
    const endpoint = query.get('endpoint');
    if (!settings.xapi || !endpoint) return;
    const statement = {
      actor: JSON.parse(query.get('actor') ?? '{}'),
      verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { 'en-US': 'completed' } },
      object: {
        objectType: 'Activity',
        id: query.get('activity_id') ?? `urn:tabgym:${settings.id}`,
        definition: { name: { 'en-US': settings.title }, type: 'http://adlnet.gov/expapi/activities/lesson' },
      },
      result: {
        completion: true,
        ...(score !== null && { score: { scaled: score / 100, raw: score, min: 0, max: 100 } }),
      },
    };
    const headers = { 'Content-Type': 'application/json', 'X-Experience-API-Version': '1.0.3' };
    if (query.get('auth')) headers.Authorization = query.get('auth');
    const body = JSON.stringify(statement);
    const reply = await fetch(`${endpoint.replace(/\/?$/, '/')}statements`, { method: 'POST', headers, body }).catch(
      (error) => ({ ok: false, status: error.message }),
    );
    if (!reply.ok) say(`The record store did not take the statement: ${reply.status}.`);
  };

  const end = () => {
    if (finished || !api) return;
    finished = true;
    call('LMSSetValue', 'cmi.core.session_time', timespan());
    call('LMSCommit', '');
    call('LMSFinish', '');
  };

  const frame = document.getElementById('page');
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== location.origin) return;
    if (data?.type === 'tabgym-progress' && data.id === settings.id) report(data);
  });
  addEventListener('pagehide', end);
  addEventListener('beforeunload', end);
  begin();
  frame.src = `site/index.html${settings.hash}`;
})();
