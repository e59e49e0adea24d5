// Why did this happen? The chain of causes of one entry, the first cause first.
const entryButton = (look, e, now, withVersion = true) => {
  const id = look.record.objectOf(look.state(), e);
  const version = withVersion && e.v && (e.do === "write" || e.do === "heard") && e.kind !== "Event" ? ` (version ${e.v})` : "";
  const button = element("button", { type: "button", tabIndex: -1, onclick: () => look.select({ n: e.n }) },
    element("time", {}, clock(e.at)), coloured(element("i", { className: `dot ${e.do}` }), look.record.colour(id)), element("span", {}, said(e) + version));
  if (now) button.ariaCurrent = "step";
  return button;
};

const whyView = (look) => {
  const box = element("div", { className: "reasons" });
  const rove = roving(box, "button");
  let whole;
  const begun = (first) => {
    if (first.do === "ask") return `It began with ${first.lane}.`;
    if (first.do === "run") return "It began with a timer or a container: this reconcile came back by itself.";
    if (first.cause) return "What led to it happened before this record begins.";
    return "This is the first cause that the record knows.";
  };
  const links = (e) => {
    const id = look.record.objectOf(look.state(), e);
    return element("p", { className: "words" },
      ...(id && e.do !== "act" ? [element("button", { type: "button", onclick: () => look.select({ kind: id.split(" ")[0], key: keyOf(id) }) }, `see ${id}`)] : []),
      element("button", { type: "button", onclick: () => look.go(e.n) }, "go to this moment"));
  };
  const draw = () => {
    const n = look.step(), e = look.record.entry(n);
    const after = e ? look.record.followed(n, 12) : [];
    set(box, `${n} ${whole === n} ${after.length}`, () => {
      if (!e) {
        box.replaceChildren(element("p", {}, n ? "That step is older than what this page keeps." : "Choose a bar, a mark in the lanes, or a change: here stands what led to it, back to the command that began it."));
        return;
      }
      const chain = look.record.chain(n), skipped = whole === n ? 0 : Math.max(0, chain.length - 30);
      const items = chain.map((step) => element("li", {}, entryButton(look, step, step === e)));
      if (skipped) {
        items.splice(5, skipped, element("li", {}, element("button", { type: "button", tabIndex: -1, onclick() { whole = n; look.redraw(); } }, `and ${skipped} steps between`)));
      }
      const too = look.record.besides(chain);
      const took = e.at - chain[0].at;
      box.replaceChildren(
        element("p", {}, begun(chain[0]), chain.length > 1 ? ` ${some(chain.length - 1, "step")} later, ${took ? `and ${lasting(took)}` : "at the same instant"}:` : ""),
        element("ol", {}, ...items), links(e),
        ...(too.length ? [element("p", { className: "head" }, "The key was there already when these came; the run saw them, too"), element("ul", {}, ...too.map((e) => element("li", {}, entryButton(look, e))))] : []),
        ...(after.length ? [element("p", { className: "head" }, "What it led to"), element("ul", {}, ...after.map((next) => element("li", {}, entryButton(look, next))))] : []));
      rove();
    });
  };
  return { box, draw };
};
