/**
 * Listener for `change` of a number field. `take` uses the typed number (NaN if there is none) and returns the number that
 * the field then shows. Bind the field's value without `live`: a redraw would set back a text that is still typed.
 */
export const onNumber = (take: (typed: number) => number) => (event: Event) => {
  const field = event.target as HTMLInputElement;
  field.value = String(take(field.value.trim() === '' ? Number.NaN : Number(field.value)));
};
