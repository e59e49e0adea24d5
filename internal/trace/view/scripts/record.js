// All that is known of a run: its entries, in a bound, and the states between them.
const recordOf = () => {
  const most = 100000, cut = 10000, apart = 2000;
  let entries, now, snapshots, stops, events, owners, handled, colours, last, cached, known;
  const forget = () => {
    [entries, now, snapshots, stops] = [[], emptyState(), [{ n: 0, state: emptyState() }], []];
    [events, owners, handled, colours, last, cached, known] = [new Map(), new Map(), new Map(), new Map(), 0, undefined, undefined];
  };
  forget();

  const entry = (n) => n > 0 ? entries[n - entries[0]?.n] : undefined;
  const kindOf = (n) => entry(n)?.kind;

  // What one owner has at its bottom has one colour in all views, also when it's gone.
  // Eight are told apart, and then come again with stripes.
  const paint = (e) => { if (e.is?.owner) owners.set(idOf(e), e.is.owner); };
  const above = (id) => {
    const found = [];
    for (let owner = owners.get(id); owner && found.length < 9; owner = owners.get(owner)) found.push(owner);
    return found;
  };
  const colour = (id = "") => {
    const top = above(id).at(-1) ?? id;
    if (id.startsWith("Pod ") && top !== id && !colours.has(top)) colours.set(top, colours.size);
    const i = colours.get(top);
    return i === undefined ? {} : { paint: i % 8, striped: i >= 8 };
  };
  const note = (e) => {
    if (e.kind === "Event" && e.is?.about) {
      if (!events.has(e.is.about)) events.set(e.is.about, []);
      events.get(e.is.about).push(e);
    }
    if (ofInterest(e)) stops.push(e.n);
  };
  // What an entry is about is known best when it comes: later its object may be gone.
  const relate = (e) => {
    e.of = objectOf(now, e);
    const asked = entry(e.cause);
    if (e.do === "write" && asked?.do === "ask") asked.of ??= e.of;
    if (e.of && now.lanes.has(e.lane)) (handled.get(e.of) ?? handled.set(e.of, new Set()).get(e.of)).add(e.lane);
    if (e.do !== "end" || e.wrote || e.err) return;
    const run = entry(e.run), key = entry(run?.cause);
    for (const part of [e, run, key?.do === "key" ? key : undefined]) if (part) part.idle = e.run; // it did nothing
  };

  // What has fallen out of the bound is part of the first state.
  const dropOldest = () => {
    const first = entries[cut].n;
    snapshots = [{ n: first - 1, state: at(first - 1) }, ...snapshots.filter((s) => s.n >= first)];
    cached = undefined;
    entries = entries.slice(cut);
    known = entries[0].at;
    stops = stops.filter((n) => n >= first);
    for (const [about, told] of events) events.set(about, told.filter((e) => e.n >= first));
    for (const about of [owners, handled]) for (const id of about.keys()) if (!now.objects.has(id)) about.delete(id);
  };

  const take = (e) => {
    e.n ??= 0;
    if (last && e.n <= last) forget(); // it is told from its beginning again
    last = e.n;
    if (e.do === "since") known = e.at;
    if (e.do === "write") e.was = now.objects.get(idOf(e))?.is;
    if (e.n > 0 && !entries.length) snapshots[0].n = e.n - 1;
    if (e.n > 0) entries.push(e);
    fold(now, e, kindOf);
    if (e.n === 0) fold(snapshots[0].state, e, kindOf);
    paint(e);
    note(e);
    relate(e);
    if (e.lane && now.lanes.has(e.lane)) e.depth = now.lanes.get(e.lane).queue.size;
    if (entries.length > most) dropOldest();
    if (e.n > 0 && e.n % apart === 0) snapshots.push({ n: e.n, state: copied(now) });
  };

  // at returns the state after entry n. It goes on from the one asked for last, if it can.
  const at = (n) => {
    if (n >= last) return now;
    if (!cached || cached.n > n || n - cached.n > apart) {
      const { n: from, state } = snapshots.findLast((s) => s.n <= n) ?? snapshots[0];
      cached = { n: from, state: copied(state) };
    }
    while (cached.n < n) {
      const e = entry(++cached.n);
      if (e) fold(cached.state, e, kindOf);
    }
    return cached.state;
  };

  // objectOf is the id of the object that a loop's key means: of its own kind, or a Pod.
  const objectOf = (state, { lane = "", key, kind, of }) => {
    if (of) return of;
    if (kind) return `${kind} ${key}`;
    if (!key) return undefined;
    const kinds = [...state.unheard.keys(), "Pod"];
    const own = kinds.find((k) => lane.toLowerCase().startsWith(k.toLowerCase())) ?? "Pod";
    const found = [own, ...kinds].find((k) => state.objects.has(`${k} ${key}`));
    return `${found ?? own} ${key}`;
  };

  // back calls see with the entries up to n, the latest first, until it says true.
  const back = (n, see) => {
    for (let i = entries.length ? Math.min(n, last) - entries[0].n : -1; i >= 0; i--) if (see(entries[i])) return;
  };
  // chain is what led to an entry, the first cause first, and the entry itself.
  const chain = (n) => {
    const steps = [];
    for (let e = entry(n); e; e = entry(e.do === "end" ? e.run : e.cause)) steps.unshift(e);
    return steps;
  };
  // besides is what the last run of a chain saw, too: its key was in the queue already.
  const besides = (steps) => {
    const run = steps.findLast((e) => e.do === "run"), found = [];
    if (run) back(run.n - 1, (e) => {
      if (e.lane !== run.lane || e.key !== run.key) return false;
      if (e.do === "key" && e.verb) found.unshift(e);
      else if (e.do !== "key" || e.n <= run.cause) return true;
      else found.length = 0; // the next run's
      return false;
    });
    return found;
  };
  const followed = (n, most) => {
    const found = [];
    for (let e = entry(n + 1), i = 0; e && found.length < most && i < 20000; e = entry(e.n + 1), i++) {
      if (e.cause === n || e.run === n) found.push(e);
    }
    return found;
  };
  return {
    take, at, entry, above, colour, objectOf, back, chain, besides, followed,
    stops: () => stops,
    handled: () => handled,
    last: () => last,
    since: () => (entries[0]?.n ?? 1) - 1,
    before: () => known ? `What was before ${clock(known).slice(0, 8)} isn’t known.` : "", // an engine's page begins with its run
    events: (id, n) => (events.get(id) ?? []).filter((e) => e.n <= n),
  };
};
