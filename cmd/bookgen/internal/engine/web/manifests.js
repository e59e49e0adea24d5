// The chapter's manifests, to be changed below a transcript in an editor. What is
// changed holds from the scene's beginning.
const manifests = (edit, changed) => {
  const now = new Map(); // those that differ
  let all = {};
  const box = element("p", { className: "words", hidden: true });
  const list = () => box.replaceChildren(...Object.keys(all).sort().map((name) =>
    buttonOf(name + (now.has(name) ? ", changed" : ""), () => show(name))));
  const keep = (name, text) => {
    const before = now.get(name) ?? all[name];
    if (text === all[name]) now.delete(name);
    else now.set(name, text);
    list();
    if (text !== before) changed();
  };
  const show = (name) => edit.open("manifests/" + name, now.get(name) ?? all[name], {
    "run with it": (text) => keep(name, text), "put back": () => keep(name, all[name]),
  });
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
      edit.hide();
      list();
      if (!box.hidden) box.querySelector("button")?.focus();
    },
    // open opens one of them, by its path, and reports whether there is one.
    open(path) {
      const name = path.replace(/^manifests\//, "");
      if (!(name in all)) return false;
      show(name);
      return true;
    },
  };
};
