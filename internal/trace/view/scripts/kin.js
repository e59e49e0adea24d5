// What is of the selected object: itself, its owners, what it owns, a Service's Pods, a
// machine's Pods; Events about these; and what happened to the loops that handled them.
// kinOf returns nothing where all is to be seen.
const kinOf = (look, state) => {
  const id = look.selected();
  if (!look.only || !id || look.lane()) return undefined;
  const { record } = look, above = record.above(id), known = new Map(), object = state.objects.get(id);
  const pods = id.startsWith("Node ") ? allOf(state, "Pod").filter((pod) => pod.is.node === keyOf(id))
    : object?.kind === "Service" ? chosenBy(object, allOf(state, "Pod")) : [];
  for (const one of [id, ...above, ...pods.map((pod) => pod.id)]) known.set(one, true);
  const isKin = (one) => known.get(one) ?? known.set(one, record.above(one).includes(id)).get(one);
  const lanes = new Set();
  for (const [one, by] of record.handled()) if (isKin(one)) for (const lane of by) lanes.add(lane);
  const chain = new Set(look.step() ? record.chain(look.step()).map((e) => e.n) : []);
  for (const n of chain) lanes.add(record.entry(n).lane);
  const has = (e) => chain.has(e.n) || (e.do === "act" ? !e.lane || lanes.has(e.lane) : isKin(e.is?.about ?? record.objectOf(state, e)));
  return { lanes, has };
};

// The switch between what is of the selected and all: the list and the lanes have it.
const onlyBar = (look, isOf) => {
  const box = element("p", { className: "words" });
  const draw = () => {
    const what = isOf();
    set(box, `${what} ${look.only}`, () => {
      const button = (words, value) => Object.assign(element("button", { type: "button", onclick() { look.only = value; look.redraw(); } }, words), { ariaPressed: String(look.only === value) });
      box.replaceChildren(...(what ? [button(`of ${what}`, true), button("all", false)] : []));
    });
  };
  return { box, draw };
};
