/** WebShop's rule for colours (`normalize_color`, github.com/princeton-nlp/WebShop, MIT). */

/** Colours of WebShop, in its order. */
const colours =
  'alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze brown burgundy camel camo caramel champagne charcoal cheetah chestnut chocolate christmas coffee cognac copper coral cranberry cream crystal dark denim eggplant elephant espresso fuchsia gold granite grape graphite grass gray green grey heather indigo ivory ivy khaki lavender lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha multicolor mushroom mustard natural navy nude olive orange peach pewter pink plum purple rainbow red rose royal rust sand sapphire seashell silver skull slate steel stone stonewash sunflower tan taupe teal tiger turquoise violet walnut wheat white wine yellow'.split(
    ' ',
  );

/** First colour of the list that the text contains, even inside a word; the text itself if it contains none. */
export const firstColour = (text: string): string => colours.find((colour) => text.includes(colour)) ?? text;

/** First colour of the list that is one of these texts. */
export const firstColourAmong = (texts: readonly string[]): string | undefined =>
  colours.find((colour) => texts.includes(colour));
