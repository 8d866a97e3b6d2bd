// Trusted text that runs in the sandbox: counts the texts of each episode that match a regular expression.
(() => {
  const { parse } = JSON;
  return (_code, _arrays, { items, pattern }) => {
    const search = new RegExp(pattern, 'u');
    const value = new Float64Array(items.length);
    for (let b = 0; b < items.length; b++) {
      const texts = parse(items[b]);
      for (let k = 0; k < texts.length; k++) if (search.test(texts[k])) value[b] += 1;
    }
    return { arrays: { value } };
  };
})();
