// What matches a query, and how well. Words match where a word begins, in any
// order; the parts of a name (DeltaFIFO, Queue.Add) begin words. Chinese and
// Japanese have no spaces: a run of them matches by its pairs of characters.
const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;

function termsOf(query) {
  const terms = [];
  const rest = query.toLowerCase().replace(ideographs, (run) => {
    const characters = [...run];
    if (characters.length === 1) terms.push(run);
    for (let i = 0; i + 1 < characters.length; i++) terms.push(characters[i] + characters[i + 1]);
    return " ";
  });
  const words = rest.split(/[\s.,;:()*?!"]+/).filter(Boolean);
  const telling = words.filter((word) => !fillers.has(word));
  return terms.concat((telling.length || terms.length ? telling : words).map(singular));
}

// What people type around what they look for.
const fillers = new Set(("a an the of in on at to for from by with and or is are was does do did has have i my me it its this that " +
  "how what why when where which who can should vs versus error warning").split(" "));

// singular leaves the end of a plural out: words match where they begin.
function singular(word) {
  return /[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

// partsOf sets the words of a name apart: DeltaFIFO becomes "delta fifo".
function partsOf(name) {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2").toLowerCase();
}

// beginning finds where a word of the text starts with the term, or -1.
function beginning(text, term, from = 0) {
  if (term.match(ideographs)) return text.indexOf(term, from);
  for (let at = text.indexOf(term, from); at >= 0; at = text.indexOf(term, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return at;
  }
  return -1;
}

// times is how often words of the text start with the term, up to eight.
function times(text, term) {
  let count = 0;
  for (let at = beginning(text, term); at >= 0 && count < 8; at = beginning(text, term, at + 1)) count++;
  return count;
}

// What a word in the name of something is worth: what the book says comes
// before what its code says.
const worth = { chapter: 17, part: 16, term: 15, section: 14, exercise: 11, kubectl: 10, symbol: 8, field: 7, test: 3 };

// score is 0 where more of the terms are nowhere than may be. A name that is the
// query is best, and that of a word of the book before others; then come commands
// that begin so, and names that hold all of it. A phrase beats its words, and a
// section that says them often one that says them once.
function score(entry, query, terms, without) {
  let points = 0;
  for (const term of terms) {
    if (beginning(entry.names, term) >= 0) points += worth[entry.kind];
    else {
      const said = times(entry.lower, term);
      if (said) points += 1 + (["part", "section"].includes(entry.kind) ? said : 1);
      else if (--without < 0) return 0;
    }
    if (entry.kind === "term" && terms.length > 1 && entry.called.includes(term)) points += 8;
  }
  if (entry.called.includes(query)) points += entry.kind === "term" ? 60 : 50;
  else if (entry.kind === "kubectl" && entry.title.toLowerCase().startsWith(query)) points += 30;
  else if (entry.names.includes(query)) points += 6;
  if (entry.lower.includes(query)) points += 5;
  return points + (entry.kind === "symbol" ? 1 / entry.title.length : 0);
}

function ranked(entries, query, without = 0) {
  const terms = termsOf(query);
  return entries
    .map((entry) => ({ entry, points: score(entry, query, terms, without) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ entry }) => entry);
}

// bestMatches returns what was found, best first, and for what: where a word is
// nowhere in the book, for the one that was meant. Where nothing has all of the
// words, it is what lacks fewest of
// them, half at most. A query that is another name of a
// term finds what the term finds, too.
function bestMatches(entries, query) {
  query = query.trim().toLowerCase();
  if (!termsOf(query).length) return { query, found: [] };
  let found = ranked(entries, query);
  if (!found.length) {
    const meant = query.replace(/[a-z]{5,}/g, (word) => meantBy(word, entries) ?? word);
    if (meant !== query) {
      query = meant;
      found = ranked(entries, query);
    }
  }
  const terms = termsOf(query).length;
  for (let without = 1; !found.length && 2 * without <= terms; without++) {
    found = ranked(entries, query, without);
    if (found.length) return { query, found, without };
  }
  const [first] = found;
  if (first?.kind === "term" && first.called.includes(query) && first.title.toLowerCase() !== query) {
    found = [...new Set([...found, ...ranked(entries, first.title.toLowerCase())])];
  }
  return { query, found };
}

// meantBy is the word of the book that a word is one typing error away from, the
// most frequent if there are several, and the word itself if the book has it.
function meantBy(word, entries) {
  vocabulary ??= countWords(entries);
  let best;
  for (const [known, count] of vocabulary) {
    if (known.startsWith(word)) return word;
    if (oneApart(word, known) && count > (vocabulary.get(best) ?? 0)) best = known;
  }
  return best;
}

let vocabulary;

function countWords(entries) {
  const counts = new Map();
  for (const entry of entries) {
    for (const [word] of `${entry.names} ${entry.lower}`.matchAll(/[a-z]{4,}/g)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
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

// excerpt cuts a text around the query, or around its first term. What a term
// means is not cut.
function excerpt(entry, query, terms) {
  if (entry.kind === "term") return entry.text;
  const places = [query, ...terms].map((term) => beginning(entry.lower, term));
  const at = places.find((place) => place >= 0) ?? 0;
  const from = at < 60 ? 0 : entry.text.indexOf(" ", at - 60) + 1 || at;
  const start = from > at ? at : from;
  const end = start + 170;
  return (start ? "… " : "") + entry.text.slice(start, end) + (end < entry.text.length ? " …" : "");
}
