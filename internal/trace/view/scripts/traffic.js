// Connections by way of Services: how many, to which Pods, and those that were refused.
const trafficView = (look) => {
  const box = element("div");
  const none = "No connection by way of a Service, so far.";
  const remark = "What simulated containers ask of each other is seen here. Packets of real containers are the kernel’s, and pass unseen.";
  const span = 10e6;

  const recent = (n) => {
    const end = look.record.entry(n)?.at ?? 0, counts = new Map(), refused = [];
    let seen = 0;
    look.record.back(n, (e) => {
      if (e.do === "dial") {
        if (e.err && refused.length < 12) refused.push(e);
        const way = `${(e.to ?? "").replace(/:\d+$/, "")}|${e.err ? "" : e.pod}`;
        if (end - e.at < span) counts.set(way, (counts.get(way) ?? 0) + 1);
      }
      return ++seen > 5000 || (end - e.at > span && refused.length > 11);
    });
    return { counts, refused };
  };
  const draw = (state, n) => {
    if (!state.dials.size) return set(box, "none", () => box.replaceChildren(element("p", {}, none), element("p", { className: "quiet" }, remark)));
    const names = new Map();
    for (const o of state.objects.values()) if (o.is.ip && (o.kind === "Pod" || o.kind === "Service")) names.set(o.is.ip, o);
    const name = (ip) => names.has(ip) ? element("button", { type: "button", className: "link", onclick: () => look.select({ kind: names.get(ip).kind, key: names.get(ip).key }) }, names.get(ip).key) : ip || "a client";
    const { counts, refused } = recent(n);
    const total = [...state.dials.values()].reduce((sum, d) => sum + d.count, 0);
    set(box, `${total} ${[...counts].join()} ${names.size}`, () => {
      const cell = (tag, ...children) => Object.assign(element(tag, {}, ...children), tag === "th" ? { scope: "col" } : {});
      const rows = [...state.dials].sort(([a], [b]) => a < b ? -1 : 1).map(([way, d]) => element("tr", { className: d.pod ? "" : "wrong" },
        cell("td", name(d.to)), cell("td", d.pod ? name(d.pod.replace(/:\d+$/, "")) : "refused"),
        cell("td", `${(counts.get(way) ?? 0) / (span / 1e6)}`), cell("td", d.count.toLocaleString("en"))));
      box.replaceChildren(
        element("div", { className: "scroll" }, element("table", {},
          element("thead", {}, element("tr", {}, cell("th", "asked for"), cell("th", "reached"), cell("th", "a second"), cell("th", "in all"))),
          element("tbody", {}, ...rows))),
        ...(refused.length ? [element("p", { className: "head" }, "Refused"), element("ul", {}, ...refused.map((e) => element("li", {}, element("time", {}, clock(e.at)), ` ${e.to}: ${e.err}`)))] : []),
        element("p", { className: "quiet" }, remark));
    });
  };
  return { box, draw };
};
