// The chapter's manifests, to be changed below a transcript. What is changed holds from
// the scene's beginning.
const manifests = (changed) => {
  const now = new Map(); // those that differ
  let all = {};
  const names = element("p", { className: "words" });
  const open = element("div", { className: "manifest", hidden: true });
  const box = element("div", { hidden: true });
  box.append(names, open);
  const list = () => names.replaceChildren(...Object.keys(all).sort().map((name) =>
    buttonOf(name + (now.has(name) ? ", changed" : ""), () => show(name))));
  const keep = (name, text) => {
    const before = now.get(name) ?? all[name];
    if (text === all[name]) now.delete(name);
    else now.set(name, text);
    open.hidden = true;
    list();
    if (text !== before) changed();
  };
  const show = (name) => {
    const area = element("textarea", { value: now.get(name) ?? all[name], spellcheck: false, autocapitalize: "off" });
    area.rows = Math.min(18, area.value.split("\n").length + 1);
    area.onkeydown = (event) => {
      if (event.key === "Escape") close();
    };
    const close = () => {
      open.hidden = true;
      names.querySelector("button")?.focus();
    };
    open.replaceChildren(
      element("label", {}, "manifests/" + name, area),
      element("p", { className: "words" }, buttonOf("run with it", () => keep(name, area.value)),
        buttonOf("put back", () => keep(name, all[name])), buttonOf("close", close)));
    open.hidden = false;
    area.focus();
  };
  return {
    box,
    changes: () => [...now].map(([name, text]) => lines.edit("manifests/" + name, all[name], text)),
    texts: () => ({ ...all, ...Object.fromEntries(now) }),
    names: () => [...now.keys()].map((name) => "manifests/" + name),
    have(files) { all = files; },
    // take makes the changes that a link brings.
    take(edits) {
      now.clear();
      for (const line of edits) {
        const name = line.split(" ")[1].replace("manifests/", "");
        now.set(name, lines.edited(all[name] ?? "", line));
      }
    },
    toggle() {
      box.hidden = !box.hidden;
      open.hidden = true;
      list();
      if (!box.hidden) names.querySelector("button")?.focus();
    },
  };
};
