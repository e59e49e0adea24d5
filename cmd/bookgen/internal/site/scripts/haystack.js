// All that can be found is one text, names, texts and what they stand under, so that
// a word is looked for once and not in each entry.
let haystack;

function gathered(entries) {
  const parts = entries.flatMap(({ names, text, under }) => [names, text, under]);
  const ends = [];
  for (const part of parts) ends.push((ends.at(-1) ?? 0) + part.length + 1);
  const cased = parts.join("\n");
  return { entries, ends, text: plain(cased), begins: beginnings(cased), known: new Map() };
}

// beginnings marks the places where a word begins, or a part of a name: Budget in
// PodDisruptionBudget.
function beginnings(text) {
  const begins = new Uint8Array(text.length);
  let inside = false, small = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    const large = letter >= "A" && letter <= "Z";
    begins[at] = !inside || (small && large);
    small = (letter >= "a" && letter <= "z") || (letter >= "0" && letter <= "9");
    inside = small || large || (letter > "\x7f" && /[\p{L}\p{N}]/u.test(letter));
  }
  return begins;
}

// occurrences returns the entries with words that begin so, by their numbers, and
// how often they are in the name, in the text and in what is above it, up to eight.
// Chinese words begin anywhere.
function occurrences(term) {
  const { text, ends, begins, known } = haystack;
  if (known.has(term)) return known.get(term);
  const anywhere = term.search(ideographs) >= 0;
  const found = new Map();
  for (let at = text.indexOf(term), part = 0; at >= 0; at = text.indexOf(term, at + 1)) {
    if (!anywhere && !begins[at]) continue;
    while (ends[part] <= at) part++;
    const number = Math.floor(part / 3);
    if (!found.has(number)) found.set(number, [0, 0, 0]);
    if (++found.get(number)[part % 3] === 8) at = ends[part] - 1;
  }
  known.set(term, found);
  return found;
}

// meantBy is the word of the book that a word is one typing error away from, the
// most frequent if there are several, and the word itself if the book has it.
function meantBy(word) {
  let best;
  for (const [known, count] of vocabulary()) {
    if (known.startsWith(word)) return word;
    if (oneApart(word, known) && count > (vocabulary().get(best) ?? 0)) best = known;
  }
  return best;
}

function vocabulary() {
  if (!haystack.words) {
    haystack.words = new Map();
    for (const [word] of haystack.text.matchAll(/[a-z]{4,}/g)) haystack.words.set(word, (haystack.words.get(word) ?? 0) + 1);
  }
  return haystack.words;
}

// oneApart tells whether one letter too many, one missing, one wrong, or two
// that changed places are all that keeps two words apart.
function oneApart(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2)) return true;
  const skip = (word, other) => word.slice(at + (word.length >= other.length ? 1 : 0));
  return skip(a, b) === skip(b, a);
}
