// The page's own trainer worker, with commits that can be stretched.
import './slow-commit.ts';
import '../../src/workers/trainer-worker.ts';
