// lookView draws into root what a source tells: docs are in doc.go of package view.
const lookView = (root, source) => {
  const record = recordOf(), pending = [];
  let at = source.at, tab = root.clientWidth < 700 ? "cluster" : "changes", selection = {}, next, placing, closed = false, drawing = false, asked = false, last = 0;

  const status = element("p", { className: "says", role: "status" });
  const look = {
    record, source,
    at: () => at ?? record.last(),
    isLive: () => at === undefined,
    state: () => record.at(look.at()),
    selected: () => selection.kind ? idOf(selection) : undefined, // the object
    lane: () => selection.lane,
    step: () => selection.n,
    only: true, // of what is selected
    select,
    go(n) { at = n; changedPlace(); },
    say(words, isWrong = false) {
      status.textContent = words;
      status.classList.toggle("wrong", isWrong);
    },
    redraw: () => soon(),
  };

  // Selecting a step selects what it is about as well, so that all views show it.
  function select(wish, stay) {
    const e = wish.n && record.entry(wish.n);
    const id = e && record.objectOf(look.state(), e);
    const about = !id ? {} : { kind: id.split(" ")[0], key: keyOf(id) };
    selection = { ...(e ? about : {}), ...wish };
    if (stay) tab = stay;
    else if (wish.n) tab = "why";
    else if (wish.kind && tab !== "waits") tab = "object";
    if (wish.n && at !== undefined && wish.n > at) at = wish.n; // what is to come isn't drawn
    changedPlace();
  }

  const hold = holdBar(look), time = timeBar(look);
  const views = {
    changes: ["Changes", changesView(look)], object: ["Object", objectView(look)], why: ["Why?", whyView(look)], ...(source.waits ? { waits: ["Waits for?", waitsView(look)] } : {}),
    cluster: ["Cluster", clusterView(look)], loops: ["Loops", loopsView(look)], traffic: ["Traffic", trafficView(look)],
  };
  const named = (title) => (source.name ? `${title}, ${source.name}` : title); // there may be two on a page
  const tabs = element("nav", { ariaLabel: named("Views") }, ...Object.entries(views).map(([name, [title]]) => element("button", {
    type: "button", value: name, onclick() { tab = name; changedPlace(); },
  }, title)));
  const panels = Object.entries(views).map(([name, [title, { box }]]) => {
    const panel = element("section", { className: `panel ${name}`, ariaLabel: named(title), tabIndex: 0 }, element("p", { className: "title" }, title), box);
    panel.setAttribute("role", "region");
    return panel;
  });
  const box = element("div", { className: "look" }, element("div", { className: "rooms" },
    element("div", { className: "bar" }, ...(source.name ? [element("strong", {}, source.name)] : []), element("div", {}, hold.box, status), time.box), tabs, ...panels));

  // A place is what a link says: the view, what is selected and the time.
  const changedPlace = () => {
    if (source.linked) placing ??= setTimeout(() => { // while something is dragged, not each time
      placing = undefined;
      const place = new URLSearchParams({ view: tab, ...selection, ...(at === undefined ? {} : { at }) });
      history.replaceState(null, "", `#${place}`);
    }, 300);
    asked = true;
    clearTimeout(next);
    next = undefined;
    soon(0);
  };
  const fromLink = () => {
    const { view, at: n, ...rest } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    if (Object.hasOwn(views, view)) tab = view;
    if (n) at = Number(n);
    selection = rest.n ? { ...rest, n: Number(rest.n) } : rest;
    soon();
  };

  const draw = () => {
    const n = look.at();
    box.dataset.tab = tab;
    for (const button of tabs.children) button.ariaPressed = String(button.value === tab);
    look.from = undefined; // the lanes say it, if they are seen
    const { loops: [, lanes], ...others } = views;
    const seen = [lanes, time, hold, ...Object.values(others).map(([, view]) => view)].filter(({ box }) => box.checkVisibility());
    drawEach(seen, n);
  };
  // What takes long is drawn in the next frame, so that no frame has to wait for all.
  const drawEach = (parts, n) => {
    const until = performance.now() + 20;
    while (parts.length && performance.now() < until) if (!parts[0].draw(look.state(), look.at())) parts.shift(); // or it has more to draw
    if (parts.length) return void requestAnimationFrame(() => { if (!closed) drawEach(parts, n); });
    drawing = false;
    last = performance.now();
    box.dataset.n = n; // as far as it's drawn
  };
  // Entries are taken in slices, and all is drawn ten times a second at most, so that
  // the page answers while ten thousand Pods come. Whoever asks for a moment gets it at once.
  const turn = () => {
    next = undefined;
    if (closed) return;
    const until = performance.now() + 15;
    while (pending.length && performance.now() < until) pending.splice(0, 250).forEach(record.take);
    if (pending.length) soon(0);
    if (drawing || !asked && performance.now() - last < 95) return soon();
    [drawing, asked] = [true, false];
    requestAnimationFrame(() => { if (!closed) draw(); });
  };
  const soon = (wait = 100 - (performance.now() - last)) => { next ??= setTimeout(turn, Math.max(0, wait)); };

  root.append(box);
  const stop = source.follow((entries) => {
    for (const e of entries) pending.push(e);
    soon();
  });
  const resized = new ResizeObserver(() => soon());
  resized.observe(box);
  if (source.linked) {
    fromLink();
    addEventListener("hashchange", fromLink);
  }
  soon();
  return {
    show({ at: n = at, select: wish } = {}) {
      at = n;
      if (wish) select(wish);
      changedPlace();
    },
    close() {
      closed = true;
      clearTimeout(placing);
      stop?.();
      resized.disconnect();
      removeEventListener("hashchange", fromLink);
      box.remove();
    },
  };
};
