// The loops: a lane for each, in which a bar is a reconcile. What is drawn is the order:
// each entry has some width, and time that passed between two has a little more, so that
// a second doesn't push out of sight what happened before it.
const drawing = (name, attributes = {}, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const loopsView = (look) => {
  const tall = 40, head = 20, outside = "kubectl and others";
  const widths = { run: 12, end: 12, write: 13, act: 16, ask: 16, decide: 12, key: 6 };
  const names = element("div", { className: "lanes" });
  const picture = drawing("svg", { "aria-hidden": "true" });
  const quiet = element("p", { className: "quiet" });
  const rove = roving(names, "button");
  let spots = [], order = [], folded = true, width = 300;
  new ResizeObserver(([{ contentRect }]) => { // to ask for it while all is drawn is dear
    width = Math.max(120, contentRect.width);
    look.redraw();
  }).observe(picture);

  const laneOf = (state, e) => state.lanes.has(e.lane) ? e.lane : outside;
  const isQuiet = (lane) => !lane.acts && !lane.hold && lane.name !== look.lane();
  const lanes = (state) => {
    const all = [...state.lanes.values()];
    const shown = folded ? all.filter((lane) => !isQuiet(lane)) : all;
    set(quiet, `${all.length - shown.length} ${folded} ${all.filter(isQuiet).length}`, () => {
      const few = all.filter(isQuiet).length;
      quiet.replaceChildren(...(few ? [element("button", {
        type: "button", onclick() { folded = !folded; look.redraw(); }, ariaExpanded: String(!folded),
      }, folded ? `and ${few} more that did nothing` : `fold the ${few} that did nothing`)] : []));
    });
    return [{ name: outside }, ...shown];
  };

  // The latest entries that fit, each at its x, the earliest first.
  const placed = (state, n) => {
    const found = [];
    let x = width - 14, later;
    look.record.back(n, (e) => {
      if (!(e.do in widths) || isNoise(e)) return false;
      if (later !== undefined) x -= widths[e.do] + Math.min(50, 5 * Math.log2(1 + (later - e.at) / 1e4));
      later = e.at;
      if (x > 0) found.unshift({ e, x, lane: laneOf(state, e) });
      return x <= 0;
    });
    return found;
  };

  const text = (x, y, words, name) => drawing("text", { x, y, class: name }, words);
  const bar = (from, to, y, e, end, paint) => coloured(drawing("rect", {
    x: from, y: y + 15, width: Math.max(4, to - from), height: 12, rx: 2,
    class: `bar ${!end ? "open" : end.err ? "wrong" : end.wrote ? "" : "nothing"}`,
  }), paint);
  const shape = {
    write: (x, y) => drawing("path", { d: `M${x - 5} ${y + 27}h10l-5-11z`, class: "mark" }),
    ask: (x, y) => drawing("circle", { cx: x, cy: y + 21, r: 5, class: "mark" }),
    decide: (x, y) => drawing("path", { d: `M${x} ${y + 15}l6 6-6 6-6-6z`, class: "mark" }),
    act: (x, y) => drawing("path", { d: `M${x} ${y + 30}v-19h10l-3 4 3 4h-10`, class: "flag" }),
    key: (x, y) => drawing("path", { d: `M${x} ${y + 33}v6`, class: "key" }),
  };

  const drawBars = (state, rows) => {
    const open = new Map(), parts = [];
    for (const [i, lane] of order.entries()) {
      for (const [n, e] of lane.open ?? []) if (!rows.some((r) => r.e.n === n)) open.set(n, { e, x: 0, y: head + i * tall });
    }
    const paint = (e) => look.record.colour(look.record.objectOf(state, e));
    for (const { e, x, y } of rows) {
      if (e.do === "run") open.set(e.n, { e, x, y });
      if (e.do !== "end") continue;
      parts.push(bar(open.get(e.run)?.x ?? 0, x, y, e, e, paint(e)));
      open.delete(e.run);
    }
    for (const { e, x, y } of open.values()) parts.push(bar(x, width, y, e, undefined, paint(e)));
    return parts;
  };

  // Words stand where there is room for them until the next.
  const drawMarks = (state, rows) => {
    const parts = [], free = new Map(), labels = { run: (e) => nameOf(e.key), ask: (e) => e.lane, act: (e) => e.text || e.verb };
    for (const { e, x, y } of rows) {
      if (shape[e.do]) {
        parts.push(coloured(shape[e.do](x, y), look.record.colour(look.record.objectOf(state, e))));
      }
      const label = labels[e.do]?.(e);
      if (!label || x < (free.get(y) ?? 0)) continue;
      const long = label.length * 6.7;
      parts.push(text(Math.max(0, Math.min(x + (e.do === "act" ? 13 : 0), width - long)), y + 11, label, e.do));
      free.set(y, x + 8 + long);
    }
    return parts;
  };
  const drawQueues = (rows) => [...new Set(rows.map((r) => r.y))].map((y) => {
    const here = rows.filter((r) => r.y === y && r.e.depth !== undefined);
    if (!here.some((r) => r.e.depth)) return "";
    const height = (e) => y + 39 - Math.min(10, 3.5 * Math.log2(1 + e.depth));
    return drawing("path", { class: "depth", d: `M${here[0].x} ${y + 39}` + here.map((r) => `H${r.x}V${height(r.e)}`).join("") + `V${y + 39}z` });
  });
  const drawClock = (rows, height) => {
    const parts = [];
    let last, free = 0;
    for (const { e, x } of rows) {
      if (e.at === last) continue;
      last = e.at;
      parts.push(drawing("path", { class: "instant", d: `M${x - 5} ${head - 4}V${height}` }));
      if (x < free) continue;
      parts.push(text(Math.max(0, x - 5), 11, clock(e.at), "clock"));
      free = x + 92;
    }
    return parts;
  };
  // The chain of what is selected, as far as it can be seen.
  const drawChain = (rows) => {
    const at = new Map(rows.map((r) => [r.e.n, r]));
    const seen = look.step() ? look.record.chain(look.step()).map((e) => at.get(e.n)).filter(Boolean) : [];
    const d = seen.map((r, i) => {
      const before = seen[i - 1];
      if (!before) return `M${r.x} ${r.y + 21}`;
      return before.y === r.y ? `L${r.x} ${r.y + 21}` : `C${(before.x + r.x) / 2} ${before.y + 21} ${(before.x + r.x) / 2} ${r.y + 21} ${r.x} ${r.y + 21}`;
    }).join("");
    const own = at.get(look.step());
    return [drawing("path", { class: "chain", d }), ...(own ? [drawing("circle", { class: "own", cx: own.x, cy: own.y + 21, r: 10 })] : [])];
  };

  const drawNames = (state) => {
    const words = (lane) => lane.queue ? [
      lane.hold, lane.queue.size ? `queue ${lane.queue.size}` : "", behind(state, lane) ? `${some(behind(state, lane), "write")} behind` : "",
    ].filter(Boolean).join(", ") || "rests" : "";
    set(names, JSON.stringify(order.map((l) => l.name)), () => names.replaceChildren(...order.map((lane) => element("button", {
      type: "button", tabIndex: -1, onclick: () => look.select({ lane: lane.name }), onkeydown: (event) => step(event, lane.name),
    }))));
    for (const [i, lane] of order.entries()) {
      const isChosen = look.lane() === lane.name, said = words(lane);
      set(names.children[i], `${said} ${isChosen} ${lane.name}`, () => {
        names.children[i].replaceChildren(element("b", {}, lane.name), element("span", { className: lane.hold ? "held" : "" }, said));
        names.children[i].ariaPressed = String(isChosen);
      });
    }
    rove();
  };

  // On a lane's name, left and right go from entry to entry of that lane.
  const step = (event, lane) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const here = spots.filter((s) => s.lane === lane);
    const at = here.findIndex((s) => s.e.n === look.step());
    const to = at < 0 ? here.at(-1) : here[at + way];
    if (to) look.select({ n: to.e.n });
  };
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const lane = order[Math.floor((event.clientY - box.top - head) / tall)]?.name, x = event.clientX - box.left;
    const here = spots.filter((s) => s.lane === lane).sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x));
    if (here.length && Math.abs(here[0].x - x) < 40) look.select({ n: here[0].e.n });
  });

  const lanesBox = element("div", { className: "lane-rows" }, names, picture);
  const draw = (state, n) => {
    order = lanes(state);
    drawNames(state);
    const height = head + order.length * tall;
    const row = new Map(order.map((lane, i) => [lane.name, head + i * tall]));
    spots = placed(state, n).filter((s) => row.has(s.lane)).map((s) => ({ ...s, y: row.get(s.lane) }));
    picture.setAttribute("height", height);
    picture.replaceChildren(
      ...order.map((lane, i) => drawing("path", { class: "line", d: `M0 ${head + i * tall + 39.5}H${width}` })),
      ...drawClock(spots, height), ...drawQueues(spots), ...drawBars(state, spots), ...drawMarks(state, spots), ...drawChain(spots));
  };
  return { box: element("div", {}, lanesBox, quiet), draw };
};
