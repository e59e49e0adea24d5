// One object: its text, each line with its last writer; its versions; its Events; and
// what the scheduler said of it.
const objectView = (look) => {
  const head = element("div", {}), text = element("div", { className: "text" });
  const told = element("div", {}), table = element("div", {});
  let id, versions = [], wanted, chosen;

  // Versions are asked for when there is one more than those that are here.
  const ask = async (state) => {
    const asked = id, v = state.objects.get(id)?.v;
    if (wanted === `${id} ${v}`) return;
    wanted = `${id} ${v}`;
    try {
      const got = await look.source.versions(asked.split(" ")[0], keyOf(asked));
      if (asked !== id) return;
      versions = got.map((version) => ({ ...version, lines: yaml.lines(version.object) }));
      look.redraw();
    } catch (problem) {
      wanted = undefined;
      if (asked === id) text.replaceChildren(element("p", { className: "wrong" }, problem.message));
    }
  };
  const by = (v) => `${v.lane ?? "unknown"}, ${clock(v.at)}`;

  const line = (className, words, writer) => {
    const made = element("span", { className: `line ${className}` }, words);
    if (writer) made.append(element("button", { type: "button", tabIndex: -1, onclick: () => look.select({ n: writer.n }), title: `version ${writer.v}: why?` }, by(writer)));
    return made;
  };
  const rove = roving(text, "button");
  const showWhole = (upto) => {
    const recent = upto.slice(-80);
    return yaml.blamed(recent).map(({ line: words, by: writer }) => line(writer === upto.at(-1) ? "now" : "", words, writer));
  };
  const showDiff = (before, after) => {
    const mind = (lines) => lines.filter((words) => !/^ {2}resourceVersion: /.test(words));
    const all = yaml.diff(mind(before.lines), mind(after.lines));
    const near = (i) => all.slice(Math.max(0, i - 2), i + 3).some(([op]) => op !== " ") || /^\w/.test(all[i][1]);
    const class_ = { "+": "came", "-": "went", " ": "" };
    return all.flatMap(([op, words], i) => near(i) ? [line(class_[op], `${op} ${words}`)] : []);
  };

  const showText = (state, n) => {
    const upto = versions.filter((v) => (v.n ?? 0) <= n || n >= look.record.last());
    const at = chosen && upto.find((v) => v.v === chosen) ? chosen : undefined;
    const key = `${id} ${upto.length} ${upto.at(-1)?.v} ${at} ${state.objects.has(id)}`;
    set(text, key, () => {
      if (!upto.length) {
        text.replaceChildren(element("p", {}, versions.length ? "It isn’t there yet." : "Its text is on its way, or was never written down."));
        return;
      }
      const pick = element("select", { onchange() { chosen = Number(pick.value) || pick.value; look.redraw(); } },
        element("option", { value: "" }, "as it is"), ...upto.slice(1).map((v, i) => element("option", { value: v.v, selected: v.v === at }, `${i + 2}: ${by(v)}`)).reverse());
      const i = upto.findIndex((v) => v.v === at);
      text.replaceChildren(
        element("p", { className: "words" }, element("label", {}, some(upto.length, "version"), " ", pick),
          ...(i > 0 ? [element("button", { type: "button", onclick: () => look.select({ n: upto[i].n }) }, "why?")] : [])),
        element("pre", {}, element("code", {}, ...(i > 0 ? showDiff(upto[i - 1], upto[i]) : showWhole(upto)))));
      rove();
    });
  };

  const showEvents = (n) => {
    const events = look.record.events(id, n);
    set(told, `${id} ${events.length} ${events.at(-1)?.n}`, () => told.replaceChildren(...(events.length ? [element("p", { className: "head" }, "Events"), element("ul", {}, ...events.slice(-12).reverse().map((e) =>
      element("li", { className: e.is.warns ? "warns" : "" }, element("time", {}, clock(e.at)), ` ${e.is.text}`, element("small", {}, ` ${e.lane}`))))] : [])));
  };

  const draw = (state, n) => {
    const now = look.selected();
    if (now !== id) [id, versions, wanted, chosen] = [now, [], undefined, undefined];
    const object = state.objects.get(id);
    const top = id && topOf(state, id);
    set(head, `${id} ${object?.n} ${look.step()}`, () => {
      head.replaceChildren(...(id ? [coloured(element("p", { className: "head" }, glyph(markOf(object?.is)), id), look.record.colour(id)),
        element("p", {}, object ? [object.is.word, object.is.node && `on ${object.is.node}`, object.is.ip, top !== id && `of ${top}`].filter(Boolean).join(", ") : "It isn’t there at this moment.")]
        : [element("p", {}, "Choose a Pod, a Service, a lane or a change: here stands its text, and who wrote which line of it.")]));
    });
    for (const part of [text, told, table]) part.hidden = !id;
    if (!id) return;
    void ask(state);
    showText(state, n);
    showEvents(n);
    showDecision(table, look, id, n);
  };
  return { box: element("div", { className: "about" }, head, table, text, told), draw };
};

// What the scheduler said of a Pod when it decided last: of each node a filter's no, or
// its scores.
const showDecision = (box, look, id, n) => {
  let last;
  if (id.startsWith("Pod ")) look.record.back(n, (e) => e.do === "decide" && e.key === keyOf(id) && !!(last = e));
  set(box, `${id} ${last?.n}`, () => {
    if (!last) return box.replaceChildren();
    const nodes = [...last.said ?? []].sort((a, b) => (b.node === last.node) - (a.node === last.node) || (b.sum ?? -1) - (a.sum ?? -1));
    const scored = nodes.filter((node) => node.points);
    const pointsOf = (node, name) => node.points.find((p) => p.score === name);
    const differs = (name) => new Set(scored.map((node) => pointsOf(node, name)?.points)).size > 1;
    const names = [...new Set(scored.flatMap((node) => node.points.map((p) => p.score)))].sort((a, b) => differs(b) - differs(a)); // what has decided comes first
    const th = (text, scope) => Object.assign(element("th", {}, text), { scope });
    const row = (node) => element("tr", { className: node.node === last.node ? "chosen" : "" }, th(node.node + (node.node === last.node ? ", chosen" : ""), "row"),
      ...(node.filter ? [element("td", { colSpan: names.length + 1 }, `${node.filter}: ${(node.reasons ?? []).join(", ") || "no"}`)] : [
        element("td", {}, element("b", {}, `${node.sum ?? ""}`)),
        ...names.map((name) => {
          const p = node.points && pointsOf(node, name);
          return element("td", {}, p ? `${p.points} × ${p.weight}` : "");
        })]));
    box.replaceChildren(
      element("p", { className: "head" }, last.node ? `Why ${last.node}?` : "Why no node?"),
      element("p", {}, last.node ? "" : `${last.text ?? ""} `, element("button", { type: "button", className: "link", onclick: () => look.select({ n: last.n }) }, `decided at ${clock(last.at)}`)),
      Object.assign(element("div", { className: "scroll", tabIndex: 0, ariaLabel: "The scheduler’s table" }, element("table", {},
        element("thead", {}, element("tr", {}, th("node", "col"), th("sum", "col"), ...names.map((name) => th(name, "col")))),
        element("tbody", {}, ...nodes.slice(0, 100).map(row)))), { role: "group" }));
  });
};
