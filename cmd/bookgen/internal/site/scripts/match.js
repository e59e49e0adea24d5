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
  return terms.concat(rest.split(/[\s.,;:()*]+/).filter(Boolean));
}

// partsOf sets the words of a name apart: DeltaFIFO becomes "delta fifo".
function partsOf(name) {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2").toLowerCase();
}

// beginning finds where a word of the text starts with the term, or -1.
function beginning(text, term) {
  if (term.match(ideographs)) return text.indexOf(term);
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return at;
  }
  return -1;
}

// score is 0 where a term is nowhere. A title that is the query is best, then
// titles that hold all of it; a phrase beats its words.
function score(entry, query, terms) {
  let points = 0;
  for (const term of terms) {
    if (beginning(entry.names, term) >= 0) points += 10;
    else if (beginning(entry.lower, term) >= 0) points += 2;
    else return 0;
  }
  if (entry.title.toLowerCase() === query) points += 50;
  if (entry.title.toLowerCase().includes(query)) points += 10;
  if (entry.lower.includes(query)) points += 5;
  return points + (entry.kind === "symbol" ? 1 / entry.title.length : 0);
}

function bestMatches(entries, query, limit) {
  query = query.trim().toLowerCase();
  const terms = termsOf(query);
  if (!terms.length) return [];
  return entries
    .map((entry) => ({ entry, points: score(entry, query, terms) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, limit)
    .map(({ entry }) => entry);
}

// excerpt cuts a text around the query, or around its first term.
function excerpt(entry, query, terms) {
  const places = [query, ...terms].map((term) => beginning(entry.lower, term));
  const at = places.find((place) => place >= 0) ?? 0;
  const from = at < 60 ? 0 : entry.text.indexOf(" ", at - 60) + 1 || at;
  const start = from > at ? at : from;
  const end = start + 170;
  return (start ? "… " : "") + entry.text.slice(start, end) + (end < entry.text.length ? " …" : "");
}
