// A cluster and its loops at one instant, folded from entries. Objects are never
// changed, so that copies of a state can share them.
const emptyState = () => ({ objects: new Map(), lanes: new Map(), unheard: new Map(), dials: new Map() });

const copied = (state) => ({
  objects: new Map(state.objects),
  lanes: new Map([...state.lanes].map(([name, l]) => [name, {
    ...l, queue: new Set(l.queue), missed: new Set(l.missed), kinds: new Set(l.kinds), open: new Map(l.open),
  }])),
  unheard: new Map([...state.unheard].map(([kind, versions]) => [kind, versions.slice()])),
  dials: new Map([...state.dials].map(([way, d]) => [way, { ...d }])),
});

const laneIn = (state, name) => {
  if (!state.lanes.has(name)) {
    state.lanes.set(name, { name, hold: "", queue: new Set(), missed: new Set(), kinds: new Set(), open: new Map(), acts: 0 });
  }
  return state.lanes.get(name);
};

// fold takes one entry into a state. kindOf tells the kind that a key came from.
const fold = (state, e, kindOf) => folds[e.do]?.(state, e, kindOf);
const wrote = (state, e) => {
  if (e.kind === "Event") return; // there may be very many, and record.events has them
  const id = idOf(e);
  if (e.verb === "deleted") state.objects.delete(id);
  else {
    const since = state.objects.get(id)?.since ?? e.n;
    state.objects.set(id, { id, kind: e.kind, key: e.key, v: e.v, is: e.is ?? {}, n: e.n, since });
  }
  if (e.do === "write") state.unheard.get(e.kind)?.push(e.v);
};
const folds = {
  is: wrote,
  write: wrote,
  lane(state, e) { laneIn(state, e.lane).hold = e.hold ?? ""; },
  act(state, e) {
    const lane = state.lanes.get(e.lane);
    if (!lane) return;
    lane.hold = e.hold ?? ""; // each says how the loop is held by then
    const missed = e.verb === "dropped" && /: (\S+) is not/.exec(e.text)?.[1];
    if (missed) lane.missed.add(missed);
    if (!["pause", "slow", "go-on"].includes(e.verb)) lane.acts++; // to be held is to do nothing
  },
  // A cache hears of its kind's versions in their order. That nobody has heard of a
  // kind says nothing: perhaps nobody wants to.
  heard(state, e) {
    const unheard = state.unheard.get(e.kind);
    if (!unheard) state.unheard.set(e.kind, []);
    else if (e.verb !== "Sync") while (unheard.length && unheard[0] <= e.v) unheard.shift();
  },
  key(state, e, kindOf) {
    const lane = laneIn(state, e.lane);
    lane.queue.add(e.key);
    lane.missed.delete(e.key);
    const kind = kindOf(e.cause);
    if (kind) lane.kinds.add(kind);
  },
  run(state, e) {
    const lane = laneIn(state, e.lane);
    if (!e.verb) lane.queue.delete(e.key); // else it has come again since a worker took it
    lane.missed.delete(e.key);
    lane.open.set(e.n, e);
  },
  end(state, e) {
    const lane = laneIn(state, e.lane);
    lane.open.delete(e.run);
    if ((e.wrote || e.err) && !isNoise(e)) lane.acts++; // to have looked and found nothing to do is none
  },
  dial(state, e) {
    const to = (e.to ?? "").replace(/:\d+$/, "");
    const way = `${to}|${e.err ? "" : e.pod}`;
    const dial = state.dials.get(way) ?? { to, pod: e.err ? "" : e.pod, count: 0 };
    state.dials.set(way, { ...dial, count: dial.count + 1, err: e.err });
  },
};

const behind = (state, lane) => [...lane.kinds].reduce((sum, kind) => sum + (state.unheard.get(kind)?.length ?? 0), 0);

// topOf is the id of an object's last owner: itself, if it has none.
const topOf = (state, id) => {
  for (let i = 0; i < 9; i++) {
    const owner = state.objects.get(id)?.is.owner;
    if (!owner) break;
    id = owner;
  }
  return id;
};
const allOf = (state, kind) => [...state.objects.values()].filter((o) => o.kind === kind);
// chosenBy returns the Pods that a Service's selector fits.
const chosenBy = (service, pods) => {
  const wanted = Object.entries(service.is.selector ?? {});
  return wanted.length ? pods.filter((pod) => wanted.every(([name, value]) => pod.is.labels?.[name] === value)) : [];
};
