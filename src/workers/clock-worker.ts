/** Worker of the freeze watch's second clock: posts the times in which this thread did not run. */
import { systemClock, watchGaps } from '../session/run/freeze-watch.ts';

watchGaps(systemClock, (gap) => self.postMessage(gap));
