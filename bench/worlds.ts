/** Benchmarks that need one world, a line each. */
export { benchBabyai as babyai } from './babyai.ts';
export { benchHousehold as household } from './household.ts';
export { benchPassages as passages } from './passages.ts';
export { benchProxy as proxy } from './proxy.ts';
export { benchSciworld as sciworld } from './sciworld.ts';
export { benchSearch as search } from './search.ts';
export { benchShop as shop } from './shop.ts';
export { benchShopOriginal as webshop } from './shop-original.ts';
export { benchTools as tools } from './tools.ts';
export { benchWeb as web } from './web.ts';
