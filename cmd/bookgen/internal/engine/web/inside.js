// The views of what has been played. ask returns what a run is asked about.
const lookInto = async (title, ask, closed) => {
  const entries = await ask(true);
  await load("look.js", "look.css").catch(() => { throw new Error("The views are not here: they do not come from where this page is from. Is there a network?"); });
  openInside(title, {
    follow(take) { take(entries); },
    versions: (kind, key) => ask([kind, key]),
    waits: (kind, key) => ask([kind, key, "waits"]),
  }, closed);
};
