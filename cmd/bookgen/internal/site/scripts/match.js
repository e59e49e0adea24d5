// How well an entry matches a query. Words match where a word begins, in any order;
// the parts of a name (DeltaFIFO, Queue.Add) begin words.

// What a word in the name of something is worth: what the book says comes
// before what its code says.
const worth = { chapter: 14, part: 15, term: 15, section: 15, exercise: 11, kubectl: 9, sentence: 6, symbol: 4, field: 3, test: 2 };

// What only repeats or compares comes after what explains.
const late = /\/in-kubernetes\/|#what-you-can-now-explain/;

// valueOf is what a word is worth to an entry: in its name; or else in its text, more
// where a section says it often for its length, and in the names of the page and the chapter.
function valueOf(entry, [named, said, under]) {
  if (named) return worth[entry.kind];
  const prose = ["part", "section"].includes(entry.kind);
  const often = prose ? (9 * said) / (said + 1.5 + entry.text.length / 2600) : 2 * Math.min(said, 1);
  return often + (under ? 4 : 0);
}

// matchesOf returns the entries that have a term or another word for it, by their numbers.
function matchesOf(term) {
  const matches = new Map();
  for (const word of [term, ...othersFor(term)]) {
    const itself = word === term;
    for (const [number, at] of occurrences(word)) {
      const points = valueOf(haystack.entries[number], at) * (itself ? 1 : 0.75);
      if (points <= (matches.get(number)?.points ?? 0)) continue;
      matches.set(number, { points, share: itself && at[0] + at[1] ? 1 : 0.9 });
    }
  }
  return matches;
}

// sums adds up what the terms of a query are worth to each entry, and which share of
// them it has. A rare word counts more than one that is all over the book.
function sums(terms) {
  const all = terms.map(matchesOf).filter((matches) => matches.size);
  const weights = all.map((matches) => Math.log(1 + haystack.entries.length / matches.size));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sums = new Map();
  all.forEach((matches, i) => {
    for (const [number, { points, share }] of matches) {
      if (!sums.has(number)) sums.set(number, { points: 0, share: 0, terms: 0 });
      const sum = sums.get(number);
      sum.points += (points * weights[i] * all.length) / total;
      sum.share += (share * weights[i]) / total;
      sum.terms++;
    }
  });
  return sums;
}

// saidIn returns how many letters of the sentence of an entry are typed: an ellipsis in it
// stands for names and numbers. Less than three words are a sentence only if nothing else
// is typed, since other things are called so, too.
function saidIn({ kind, called }, typed) {
  if (kind !== "sentence") return 0;
  const saying = (text) => text.split(/[\s…]+/).filter(Boolean).length > 2;
  const form = (sentence) => sentence.replace(/[^\p{L}\p{N}\s…]/gu, "\\$&").replace(/\s*…\s*/g, ".*");
  const within = (sentence) => new RegExp(saying(sentence) ? form(sentence) : `^${form(sentence)}$`).test(typed);
  if (saying(typed) && called.some((sentence) => sentence.includes(typed))) return typed.length;
  return Math.max(0, ...called.filter(within).map((sentence) => sentence.length));
}

// score is best for a name that is the query, and for that of a word of the book before
// others; then come commands that begin so, and names that hold all of it. A
// phrase beats its words.
function score(entry, sum, query, terms, phrase) {
  let points = sum.points * sum.share ** 1.5;
  if (entry.kind === "term" && terms.length > 1) points += 8 * terms.filter((term) => entry.called.includes(term)).length;
  if (entry.called.includes(query)) points += entry.kind === "term" ? 60 : 50;
  else if (entry.kind === "kubectl" && entry.title.toLowerCase().startsWith(query)) points += 30;
  else if (phrase?.[0]) points += 6;
  if (phrase?.[1]) points += 4 * Math.min(query.split(" ").length, 6);
  return points * (late.test(entry.href) ? 0.75 : 1) + (entry.kind === "symbol" ? 1 / entry.title.length : 0);
}

function ranked(query, typed) {
  const terms = termsOf(query);
  const phrases = occurrences(query);
  return [...sums(terms)]
    .map(([number, sum]) => ({ number, sum, entry: haystack.entries[number], said: saidIn(haystack.entries[number], typed) }))
    .filter(({ sum, said }) => said || sum.share >= 0.25)
    .map(({ number, sum, entry, said }) => {
      const points = score(entry, sum, query, terms, phrases.get(number)) + (said && 50 + said);
      return { entry, terms: sum.terms, points };
    })
    .sort((a, b) => b.points - a.points);
}

// once leaves of what leads to the same place the best, or a word of the book that has as
// many of the terms: its sentence says what the section explains.
function once(found) {
  const best = new Map();
  for (const match of found) {
    const { href, kind } = match.entry;
    const place = href.includes("#") || kind === "part" || kind === "chapter" ? href : match;
    const other = best.get(place);
    if (!other || (kind === "term" && other.entry.kind !== "term" && match.terms >= other.terms)) best.set(place, match);
  }
  return [...best.values()].map(({ entry }) => entry);
}

// bestMatches returns what was found, best first, and for what: where a word is
// nowhere in the book, for the one that was meant. Where nothing has all of the
// words, it is without some. A query that is another name of a term finds what
// the term finds, too.
function bestMatches(entries, query) {
  if (haystack?.entries !== entries) haystack = gathered(entries);
  query = plain(query.trim());
  const typed = query;
  if (!termsOf(query).length) return { query, found: [] };
  if (termsOf(query).some((term) => ![term, ...othersFor(term)].some((word) => occurrences(word).size))) query = query.replace(/[a-z]{5,}/g, (word) => meantBy(word) ?? word);
  const matches = ranked(query, typed);
  let found = once(matches);
  const [first] = found;
  if (first?.kind === "term" && first.called.includes(query) && first.title.toLowerCase() !== query) {
    found = [...new Set([...found, ...once(ranked(first.title.toLowerCase(), ""))])];
  }
  const { length } = termsOf(query);
  return { query, found, without: !matches.some(({ terms }) => terms === length) };
}

// beginning finds where a word of the text starts with the term, or -1.
function beginning(text, term, from = 0) {
  if (term.match(ideographs)) return text.indexOf(term, from);
  for (let at = text.indexOf(term, from); at >= 0; at = text.indexOf(term, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return at;
  }
  return -1;
}

// excerpt cuts a text around the query, or around its first term. What a term
// means is not cut.
function excerpt(entry, query, terms) {
  if (entry.kind === "term") return entry.text;
  const text = plain(entry.text);
  const places = [query, ...terms].map((term) => beginning(text, term));
  const at = places.find((place) => place >= 0) ?? 0;
  const from = at < 60 ? 0 : entry.text.indexOf(" ", at - 60) + 1 || at;
  const start = from > at ? at : from;
  const end = start + 170;
  return (start ? "… " : "") + entry.text.slice(start, end) + (end < entry.text.length ? " …" : "");
}
