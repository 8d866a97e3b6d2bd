// The page's trainer worker, with commits and phases of a step that can be stretched.
import './slow-commit.ts';
import './slow-phase.ts';
import '../../src/workers/library-worker.ts';
