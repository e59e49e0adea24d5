// A list of changes says in words what the drawings show, the latest first.
const changesView = (look) => {
  const list = element("ul", { className: "changes-list" });
  const search = element("input", { type: "search", placeholder: "search", ariaLabel: "search the changes", oninput: () => look.redraw() });
  const what = () => look.lane() || look.selected(), only = onlyBar(look, what);
  const none = element("p", { className: "quiet" }), before = element("p", { className: "quiet" });
  const rove = roving(list, "button");
  const items = new Map();
  const most = look.source.whole ? 200 : 80; // where more come each moment, fewer are drawn

  const fits = (state) => {
    const lane = look.only && look.lane(), kin = kinOf(look, state);
    if (lane) return (e) => e.lane === lane && (isChange(e) || e.do === "end");
    return (e) => isChange(e) && (!kin || kin.has(e));
  };
  const draw = (state, n) => {
    only.draw();
    const words = search.value.trim().toLowerCase(), fit = fits(state), found = [];
    look.record.back(words ? look.record.last() : n, (e) => { // what is sought may be still to come
      if (fit(e) && (!words || (e.words ??= said(e).toLowerCase()).includes(words))) found.push(e);
      return found.length >= most;
    });
    const stay = new Set(found);
    for (const [n, item] of items) if (!stay.has(item.entry)) { item.remove(); items.delete(n); }
    found.forEach((e, i) => {
      if (!items.has(e.n)) items.set(e.n, Object.assign(element("li", {}, entryButton(look, e, false, false)), { entry: e }));
      const item = items.get(e.n);
      if (list.children[i] !== item) list.insertBefore(item, list.children[i] ?? null);
      set(item, look.step() === e.n, () => { item.firstChild.ariaCurrent = look.step() === e.n ? "true" : null; });
    });
    none.textContent = words ? `No change says “${words}”.` : "Nothing has changed so far.";
    none.hidden = found.length > 0;
    before.hidden = found.length >= most; // there are more
    before.textContent = look.record.before();
    rove();
  };
  return { box: element("div", {}, element("div", { className: "words" }, search, only.box), none, list, before), draw };
};
