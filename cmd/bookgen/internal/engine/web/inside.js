// The views of what has been played, over the page, until the reader closes them. ask
// returns what a run is asked about.
const openInside = async (title, ask, closed) => {
  const entries = await ask(true);
  await load("look.js", "look.css").catch(() => { throw new Error("The views are not here: they do not come from where this page is from. Is there a network?"); });
  const close = element("button", { type: "button", textContent: "close", onclick: () => dialog.close() });
  const heading = element("h2", { textContent: "Inside " + title });
  const root = element("div");
  const dialog = element("dialog", { className: "inside", ariaLabel: heading.textContent }, element("header", {}, heading, close), root);
  document.body.append(dialog);
  dialog.showModal();
  const view = lookView(root, {
    follow(take) { take(entries); },
    versions: (kind, key) => ask([kind, key]),
    whole: true,
  });
  dialog.onclose = () => {
    view.close();
    dialog.remove();
    closed();
  };
};
