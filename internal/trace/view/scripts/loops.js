// The loops: a lane for each, in which a bar is a reconcile. What is drawn is the order:
// each entry has some width, and time that passed between two has a little more, so that
// a second doesn't push out of sight what happened before it. To zoom is to give all that
// more room, or less.
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
  const held = element("div", { className: "picture", role: "group", tabIndex: 0, ariaLabel: "The lanes’ picture: a and d go back and on, w and s zoom" }, picture);
  const quiet = element("p", { className: "quiet" }), about = element("p", { className: "quiet" });
  const only = onlyBar(look, () => look.lane() ? undefined : look.selected());
  const rove = roving(names, "button");
  let spots = [], order = [], folded = true, width = 300, scale = 1;
  new ResizeObserver(([{ contentRect }]) => { // to ask for it while all is drawn is dear
    const before = width;
    width = Math.max(120, contentRect.width);
    if (width !== before) look.redraw();
  }).observe(picture);

  const laneOf = (state, e) => state.lanes.has(e.lane) ? e.lane : outside;
  const isQuiet = (lane) => !lane.acts && !lane.hold && lane.name !== look.lane();
  // A loop that is held comes first.
  const lanes = (state, kin) => {
    const all = [...state.lanes.values()].filter((lane) => !kin || kin.lanes.has(lane.name) || lane.hold).sort((a, b) => !!b.hold - !!a.hold);
    const shown = folded ? all.filter((lane) => !isQuiet(lane)) : all;
    set(quiet, `${all.length - shown.length} ${folded} ${all.filter(isQuiet).length}`, () => {
      const few = all.filter(isQuiet).length;
      quiet.replaceChildren(...(few ? [element("button", {
        type: "button", onclick() { folded = !folded; look.redraw(); }, ariaExpanded: String(!folded),
      }, folded ? `and ${few} more that did nothing` : `fold the ${few} that did nothing`)] : []));
    });
    return [{ name: outside }, ...shown];
  };

  // The latest entries that fit, each at its x, the earliest first. Lanes that aren't seen
  // take no room. While there are too many entries, a key that was in the queue already
  // isn't drawn, and a lane's runs that did nothing, one after the other, are drawn once:
  // the last of them, with how many there were.
  const placed = (state, n, row, kin) => {
    const kept = new Set(look.step() ? look.record.chain(look.step()).map((e) => e.idle) : []);
    const place = (thin) => {
      const found = [], last = new Map();
      let x = width - 14, later;
      look.record.back(n, (e) => {
        const lane = laneOf(state, e);
        if (!(e.do in widths) || isNoise(e) || !row.has(lane) || kin && !kin.has(e)) return false;
        const idle = last.get(lane);
        if (thin && e.verb === "there") return false;
        if (thin && e.idle && idle && idle.run !== e.idle && !kept.has(e.idle)) {
          if (e.do === "end") idle.times++;
          return false;
        }
        if (e.do === "end") last.set(lane, e.idle && { run: e.idle, times: 1 });
        if (later !== undefined) x -= scale * ((thin && e.do === "key" ? 2 : widths[e.do]) + Math.min(50, 5 * Math.log2(1 + (later - e.at) / 1e4)));
        later = e.at;
        if (x > 0) found.push({ e, x, y: row.get(lane), lane, idle: last.get(lane) });
        return x <= 0;
      });
      return { found: found.reverse(), all: x > 0 };
    };
    const whole = place(false);
    return whole.all ? whole.found : place(true).found;
  };

  const text = (x, y, words, name) => drawing("text", { x, y, class: name }, words);
  const bar = (from, to, y, e, end, paint) => coloured(drawing("rect", {
    x: from, y: y + 15, width: Math.max(4 * Math.min(1, scale), to - from), height: 12, rx: 2,
    class: `bar ${!end ? "open" : end.err ? "wrong" : end.wrote ? "" : "nothing"}`,
  }), paint);
  const shape = {
    write: (x, y, g) => drawing("path", { d: `M${x - 5 * g} ${y + 27}h${10 * g}l${-5 * g}-11z`, class: "mark" }),
    ask: (x, y, g) => drawing("circle", { cx: x, cy: y + 21, r: 5 * g, class: "mark" }),
    decide: (x, y, g) => drawing("path", { d: `M${x} ${y + 15}l${6 * g} 6-${6 * g} 6-${6 * g}-6z`, class: "mark" }),
    act: (x, y) => drawing("path", { d: `M${x} ${y + 30}v-19h10l-3 4 3 4h-10`, class: "flag" }),
    key: (x, y) => drawing("path", { d: `M${x} ${y + 33}v6`, class: "key" }),
  };

  const drawBars = (state, rows) => {
    const open = new Map(), parts = [];
    for (const [i, lane] of order.entries()) {
      const early = [...lane.open ?? []].find(([n]) => n < (rows[0]?.e.n ?? Infinity)); // one hides the others
      if (early) open.set(early[0], { e: early[1], x: 0, y: head + i * tall });
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

  // Words stand where there is room for them: those of an act first, then the latest.
  const drawMarks = (state, rows) => {
    const parts = [], taken = new Map(), g = Math.max(0.3, Math.min(1, 1.5 * scale));
    const labels = {
      run: (e, idle) => nameOf(e.key) + (idle?.run === e.n && idle.times > 1 ? ` ×${idle.times}` : ""),
      ask: (e) => e.lane, act: (e) => e.text || e.verb,
    };
    for (const { e, x, y } of rows) {
      if (shape[e.do]) parts.push(coloured(shape[e.do](x, y, g), look.record.colour(look.record.objectOf(state, e))));
    }
    for (const { e, x, y, idle } of rows.filter((r) => labels[r.e.do]).reverse().sort((a, b) => (b.e.do === "act") - (a.e.do === "act"))) {
      const label = labels[e.do](e, idle), long = label.length * 6.7, here = taken.get(y) ?? taken.set(y, []).get(y);
      const left = Math.max(0, Math.min(x + (e.do === "act" ? 13 : 0), width - long));
      if (here.some((other) => left < other.right && other.left < left + long)) continue;
      parts.push(text(left, y + 11, label, e.do));
      here.push({ left: left - 8, right: left + long + 8 });
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
    const parts = [], instants = [];
    let last, free = 0, line = -9;
    for (const { e, x } of rows) {
      if (e.at === last) continue;
      last = e.at;
      if (x - line >= 4) instants.push(`M${(line = x) - 5} ${head - 4}V${height}`);
      const left = Math.max(0, Math.min(x - 5, width - 76));
      if (left < free) continue;
      parts.push(text(left, 11, clock(e.at), "clock"));
      free = left + 92;
    }
    return [drawing("path", { class: "instant", d: instants.join("") }), ...parts];
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
    const few = (keys, name) => [...keys].slice(0, 9).map(name).join(", ") + (keys.size > 9 ? ` and ${keys.size - 9} more` : "");
    const words = (lane, name) => lane.queue ? [
      lane.hold, lane.missed.size ? `missed ${few(lane.missed, name)}` : "", lane.queue.size ? `queue ${lane.queue.size}: ${few(lane.queue, name)}` : "",
      behind(state, lane) ? `${some(behind(state, lane), "write")} behind` : "",
    ].filter(Boolean).join(", ") || "rests" : "";
    set(names, JSON.stringify(order.map((l) => l.name)), () => {
      const had = [...names.children].find((button) => button === document.activeElement)?.value;
      names.replaceChildren(...order.map((lane) => element("button", {
        type: "button", value: lane.name, tabIndex: -1, onclick: () => look.select({ lane: lane.name }), onkeydown: (event) => step(event, lane.name),
      })));
      if (had) [...names.children].find((button) => button.value === had)?.focus();
    });
    for (const [i, lane] of order.entries()) {
      const isChosen = look.lane() === lane.name, said = words(lane, nameOf), whole = words(lane, String);
      set(names.children[i], `${whole} ${isChosen}`, () => {
        names.children[i].replaceChildren(element("b", {}, lane.name), element("span", { className: lane.hold || lane.missed?.size ? "held" : "" }, said));
        names.children[i].title = `${lane.name}${whole && `: ${whole}`}`;
        names.children[i].ariaPressed = String(isChosen);
      });
      if (isChosen) set(about, names.children[i].title, () => { about.textContent = names.children[i].title; });
    }
    about.hidden = !order.some((lane) => lane.queue && lane.name === look.lane());
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
    if (to) look.select({ n: to.e.n, lane }); // the lane stays chosen
  };
  // One pointer drags the picture, two zoom it; what didn't move is a click.
  const fingers = new Map();
  let moved = 0;
  const spread = () => {
    const [a, b] = fingers.values();
    return b && Math.abs(a - b) + 20;
  };
  held.onpointerdown = (event) => {
    if (!fingers.size) moved = 0;
    fingers.set(event.pointerId, event.clientX);
  };
  held.onpointermove = (event) => {
    const from = fingers.get(event.pointerId), before = spread(), by = event.clientX - from;
    if (!(Math.abs(by) > 3)) return;
    if (!moved) held.setPointerCapture(event.pointerId);
    moved += Math.abs(by);
    fingers.set(event.pointerId, event.clientX);
    if (before) look.zoom(spread() / before);
    else look.pan(-by / width);
  };
  held.onpointerup = held.onpointercancel = (event) => { fingers.delete(event.pointerId); };
  look.zoom = (by) => {
    scale = Math.max(1 / 64, Math.min(4, scale * by));
    look.redraw();
  };
  picture.addEventListener("click", (event) => {
    if (moved > 6) return;
    const box = picture.getBoundingClientRect();
    const lane = order[Math.floor((event.clientY - box.top - head) / tall)]?.name, x = event.clientX - box.left;
    const here = spots.filter((s) => s.lane === lane).sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x));
    if (here.length && Math.abs(here[0].x - x) < 40) look.select({ n: here[0].e.n });
  });

  const lanesBox = element("div", { className: "lane-rows" }, names, held);
  look.steer(lanesBox);
  const draw = (state, n) => {
    const kin = kinOf(look, state);
    only.draw();
    order = lanes(state, kin);
    drawNames(state);
    const height = head + order.length * tall;
    spots = placed(state, n, new Map(order.map((lane, i) => [lane.name, head + i * tall])), kin);
    look.from = spots[0]?.e.n;
    picture.setAttribute("height", height);
    picture.replaceChildren(
      ...order.map((lane, i) => drawing("path", { class: "line", d: `M0 ${head + i * tall + 39.5}H${width}` })),
      ...drawClock(spots, height), ...drawQueues(spots), ...drawBars(state, spots), ...drawMarks(state, spots), ...drawChain(spots));
  };
  return { box: element("div", {}, only.box, about, lanesBox, quiet), draw };
};
