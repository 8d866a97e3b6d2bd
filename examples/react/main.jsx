// A React page around the element: it counts the steps of an agent that trains.
import { useCallback, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { preset } from 'tabgym';
import { TabGym } from './TabGym.jsx';

const experiment = { ...preset('micro'), steps: 3 };
const src = URL.createObjectURL(new Blob([JSON.stringify(experiment)]));

function App() {
  const [step, setStep] = useState(0);
  const [status, setStatus] = useState('');
  const start = useCallback((element) => element.train(), []);
  const count = useCallback((record) => setStep(record.step), []);
  return (
    <>
      <TabGym src={src} view="curves" controls="" onReady={start} onStep={count} onStatus={setStatus} />
      <p id="out">{`step ${step} of 3, ${status === 'finished' ? 'done' : status}`}</p>
    </>
  );
}

createRoot(document.querySelector('#app')).render(<App />);
