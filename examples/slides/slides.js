// Shows one slide, and its number in the address. The element stays in its slide, so it goes on training when the talk does.
const slides = [...document.querySelectorAll('section')];
const numbers = slides.map((_, index) => {
  const link = document.createElement('a');
  link.href = `#${index + 1}`;
  link.textContent = String(index + 1);
  return link;
});
document.querySelector('nav').append(...numbers);

const current = () => Math.min(Math.max(Number(location.hash.slice(1)) || 1, 1), slides.length) - 1;

function show() {
  for (const [index, slide] of slides.entries()) {
    slide.hidden = index !== current();
    numbers[index].toggleAttribute('aria-current', index === current());
  }
}

const turns = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
addEventListener('keydown', (event) => {
  const turn = turns[event.key];
  // A text field and a button have keys of their own.
  if (!turn || event.composedPath()[0].closest?.('input, button')) return;
  location.hash = String(Math.min(Math.max(current() + turn, 0), slides.length - 1) + 1);
});
addEventListener('hashchange', show);
show();
