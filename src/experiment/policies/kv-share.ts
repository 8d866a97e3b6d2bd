/** The part of the K/V cache that is planned, a setting of each kind of policy that trains on this project's engine. */
import { option, real } from '../../fields/fields.ts';

export const kvShare = option(real(0.05, 1), 1, {
  label: 'Share of pages',
  sentence:
    'Cache pages, as a share of the number that all episodes at their longest would need. A smaller share takes less memory, and episodes may have to wait.',
  step: 0.05,
  change: 'fork',
});
