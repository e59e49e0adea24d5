// Loads what is not needed before somebody asks for it, once: scripts and style
// sheets, because a page that was opened from a folder may not fetch.
const load = (() => {
  const loading = {};
  const begin = (name) => new Promise((resolve, reject) => {
    const address = document.body.dataset.root + "assets/" + name;
    const made = name.endsWith(".js") ? { src: address } : { rel: "stylesheet", href: address };
    document.head.append(element(made.src ? "script" : "link", { ...made, onload: resolve, onerror: reject }));
  });
  return (...names) => Promise.all(names.map((name) => loading[name] ??= begin(name)));
})();
if (new URLSearchParams(location.search).get("path") === "short") load("path.js");
if (document.querySelector(".acts")) load("loop.js");
