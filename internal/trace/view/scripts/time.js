// The whole run in a strip: how much happened when, with flags for commands and for what
// was done to loops, and a window, which is what the lanes show. Its right edge is the
// moment that all views show; at the strip's end that is what is now. Where much happens
// the strip has more room: a second of a thousand steps isn't one pixel of an hour.
const timeBar = (look) => {
  const wide = 1000, tall = 28, columns = 250;
  const picture = drawing("svg", { viewBox: `0 0 ${wide} ${tall}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const strip = element("div", { className: "strip", role: "slider", tabIndex: 0, ariaLabel: "step", ariaValueMin: 0 }, picture);
  const live = element("button", { type: "button", onclick: () => look.go(undefined) }, look.source.whole ? "end" : "live");
  const where = element("output", {});
  let places = [], counts = [], flags = [], seen, grip;

  // below is how many of these, which rise, are at most x.
  const below = (all, x) => {
    let low = 0, high = all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle] <= x) low = middle + 1; else high = middle;
    }
    return low;
  };
  const index = () => look.isLive() ? look.record.stops().length : below(look.record.stops(), look.at());
  const to = (i) => {
    const stops = look.record.stops();
    look.go(i >= stops.length ? undefined : i > 0 ? stops[i - 1] : look.record.since());
  };
  // pan goes on by that many windows, and by a step at least.
  const span = () => Math.max(1, index() - below(look.record.stops(), look.from ?? look.at()));
  const pan = (by) => to(index() + Math.sign(by) * Math.max(1, Math.round(Math.abs(by) * span())));

  // A stretch is 20 ms: its room is the logarithm of how many steps it has, and a little
  // for the time that passed before.
  const lay = (stops) => {
    const all = [];
    let room = 0, most = 0;
    for (const n of stops) {
      const { at } = look.record.entry(n), s = all.at(-1);
      if (s && at - s.at < 2e4) s.count++;
      else all.push({ at, count: 1, gap: s ? Math.min(1, (at - s.at) / 1e6) : 0 });
    }
    places = all.flatMap(({ count, gap }) => {
      const from = room += gap, own = Math.log2(1 + count);
      room += own;
      return Array.from({ length: count }, (_, i) => from + own * (i + 1) / count);
    }).map((x) => x / room * wide);
    counts = new Array(columns).fill(0);
    for (const x of places) most = Math.max(most, ++counts[Math.min(columns - 1, Math.floor(x / wide * columns))]);
    counts = counts.map((count) => (tall - 4) * Math.sqrt(count / Math.max(1, most)));
    flags = stops.flatMap((n, i) => ["ask", "act"].includes(look.record.entry(n).do) ? [{ i, what: look.record.entry(n).do, x: places[i] }] : []);
  };
  const flagged = (what, d) => drawing("path", { class: what, d: [...new Set(flags.filter((f) => f.what === what).map((f) => `M${Math.round(f.x / 2) * 2} ${d}`))].join("") });
  const draw = (state, n) => {
    const stops = look.record.stops(), i = index(), key = `${stops[0]} ${stops.length}`;
    if (key !== seen) lay(stops);
    seen = key;
    const right = i ? places[i - 1] ?? wide : 0, left = places[below(stops, Math.min(look.from ?? n, n)) - 1] ?? 0;
    const step = wide / columns;
    picture.replaceChildren(
      drawing("path", { class: "much", d: `M0 ${tall}${counts.map((high, c) => `V${tall - high}H${(c + 1) * step}`).join("")}V${tall}z` }),
      flagged("ask", "0v10"), flagged("act", `0v${tall}`),
      drawing("rect", { class: "window", x: Math.min(left, right), y: 0, width: Math.max(0, right - left), height: tall }),
      drawing("path", { class: "moment", d: `M${right} 0v${tall}` }));
    const e = look.record.entry(stops[i - 1]);
    const words = e ? `${clock(e.at)} ${said(e)}` : stops.length ? `before the first step. ${look.record.before()}` : "nothing has happened yet";
    if (where.textContent !== words) where.textContent = words;
    [strip.ariaValueMax, strip.ariaValueNow, strip.ariaValueText] = [stops.length, i, words];
    live.ariaPressed = String(look.isLive());
  };

  // A press in the window takes hold of it; elsewhere it goes there, or to a flag nearby.
  const point = (event) => {
    const box = strip.getBoundingClientRect();
    return (event.clientX - box.left) / box.width * wide;
  };
  const near = (x) => flags.find((f) => Math.abs(f.x - x) < 4)?.i ?? below(places, x) - 1;
  strip.onpointerdown = (event) => {
    const x = point(event), right = places[index() - 1] ?? 0, left = places[below(look.record.stops(), look.from ?? look.at()) - 1] ?? right;
    strip.setPointerCapture(event.pointerId);
    grip = x > left && x < right ? right - x : 0;
    if (!grip) to(Math.max(0, near(x)) + 1);
  };
  strip.onpointermove = (event) => { if (grip !== undefined) to(below(places, point(event) + grip)); };
  strip.onpointerup = strip.onpointercancel = () => { grip = undefined; };

  const ways = {
    ArrowLeft: () => to(index() - 1), ArrowDown: () => to(index() - 1), ArrowRight: () => to(index() + 1), ArrowUp: () => to(index() + 1),
    PageUp: () => pan(1), PageDown: () => pan(-1), Home: () => to(0), End: () => to(Infinity),
    a: () => pan(-0.25), d: () => pan(0.25), w: () => look.zoom(1.5), s: () => look.zoom(1 / 1.5), "+": () => look.zoom(1.5), "-": () => look.zoom(1 / 1.5),
  };
  // steer is what keys and the wheel do, on the strip and on the lanes.
  look.steer = (box) => {
    box.addEventListener("keydown", (event) => {
      if (!Object.hasOwn(ways, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      ways[event.key]();
    });
    box.addEventListener("wheel", (event) => {
      const aside = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
      if (!event.ctrlKey && !aside) return; // the lanes scroll
      event.preventDefault();
      if (event.ctrlKey) look.zoom(Math.exp(-event.deltaY / 300));
      else pan(aside / 500);
    }, { passive: false });
  };
  look.pan = pan;
  look.steer(strip);
  const arrow = (words, by, ariaLabel) => element("button", { type: "button", ariaLabel, onclick: () => to(Math.max(0, index() + by)) }, words);
  const box = element("div", { className: "time" }, arrow("‹", -1, "a step back"), strip, arrow("›", 1, "a step on"), live, where);
  where.setAttribute("aria-live", "off"); // the strip says it
  return { box, draw };
};
