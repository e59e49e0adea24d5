// Where one was: kept for each page that is read, and offered on the front page.
const places = {
  // A page is known by its path from the book's root.
  page: location.pathname.slice(new URL(document.body.dataset.root, location.href).pathname.length),
  all() {
    try { return JSON.parse(preferences.get("places")) ?? {}; } catch { return {}; }
  },
  keep(hash, section, count) {
    const page = document.querySelector(".here b").textContent;
    const all = places.all();
    all[this.page] = { hash, section, count, page, at: Date.now() };
    preferences.set("places", JSON.stringify(all));
  },
};
{
  const begin = document.querySelector(".begin");
  const [last] = Object.entries(places.all()).sort(([, a], [, b]) => b.at - a.at);
  if (begin && last) {
    const [path, { hash, section, count, page }] = last;
    begin.after(element("p", { className: "begin resume" },
      element("a", { href: path + hash }, "Continue where you were, ", element("cite", {}, section)),
      element("small", {}, `${page}, ${count}`)));
  }
}
