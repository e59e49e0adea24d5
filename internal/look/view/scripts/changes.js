// A list of changes says in words what the drawings show, the latest first.
const changesView = (look) => {
  const list = element("ul", { className: "changes-list" });
  const choose = element("p", { className: "words" });
  const none = element("p", { className: "quiet" }, "Nothing has changed so far.");
  const before = element("p", { className: "quiet" });
  const rove = roving(list, "button");
  const items = new Map();
  let only = true;
  const most = look.source.whole ? 200 : 80; // where more come each moment, fewer are drawn

  const fits = (state, id, lane) => (e) => {
    if (lane) return e.lane === lane && (isChange(e) || e.do === "end");
    if (!isChange(e)) return false;
    if (!id) return true;
    return look.record.objectOf(state, e) === id || e.is?.about === id || e.is?.owner === id;
  };
  const draw = (state, n) => {
    const what = look.lane() || look.selected();
    const fit = only && what ? fits(state, look.selected(), look.lane()) : fits(state);
    const found = [];
    look.record.back(n, (e) => {
      if (fit(e)) found.push(e);
      return found.length >= most;
    });
    set(choose, `${what} ${only}`, () => {
      const button = (words, value) => Object.assign(element("button", { type: "button", onclick() { only = value; look.redraw(); } }, words), { ariaPressed: String(only === value) });
      choose.replaceChildren(...(what ? [button(`of ${what}`, true), button("all", false)] : []));
    });
    const stay = new Set(found);
    for (const [n, item] of items) if (!stay.has(item.entry)) { item.remove(); items.delete(n); }
    found.forEach((e, i) => {
      if (!items.has(e.n)) items.set(e.n, Object.assign(element("li", {}, entryButton(look, e, false, false)), { entry: e }));
      const item = items.get(e.n);
      if (list.children[i] !== item) list.insertBefore(item, list.children[i] ?? null);
      set(item, look.step() === e.n, () => { item.firstChild.ariaCurrent = look.step() === e.n ? "true" : null; });
    });
    none.hidden = found.length > 0;
    before.hidden = found.length >= most; // there are more
    before.textContent = look.record.before();
    rove();
  };
  return { box: element("div", {}, choose, none, list, before), draw };
};
