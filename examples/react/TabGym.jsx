import { useEffect, useRef } from 'react';
import 'tabgym/element';

/** `<tab-gym>` as a component: attributes are properties, its events are functions. `onReady` receives the element. */
export function TabGym({ onReady, onStep, onStatus, ...attributes }) {
  const element = useRef(null);
  useEffect(() => {
    const shown = element.current;
    const listeners = {
      'tabgym-ready': () => onReady?.(shown),
      'tabgym-step': ({ detail }) => onStep?.(detail),
      'tabgym-status': ({ detail }) => onStatus?.(detail.status),
    };
    for (const [name, listener] of Object.entries(listeners)) shown.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) shown.removeEventListener(name, listener);
    };
  }, [onReady, onStep, onStatus]);
  return <tab-gym ref={element} {...attributes} />;
}
