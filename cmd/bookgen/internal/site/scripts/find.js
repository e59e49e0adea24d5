// Turns the link to the index into a search, and loads what searching needs
// when it is wanted for the first time.
const find = (() => {
  const root = document.body.dataset.root;
  const link = document.getElementById("search");
  let loading;

  const load = (name) => new Promise((resolve, reject) => {
    document.head.append(element("script", { src: `${root}assets/${name}`, onload: resolve, onerror: reject }));
  });

  // Scripts, because a page that was opened from a folder may not fetch.
  const open = async () => {
    loading ??= load("search.js").then(() => load("search-data.js"));
    await loading;
    openSearch();
  };

  if (link) {
    const button = element("button", { type: "button", id: "find", textContent: "Search", title: "Search (/)" });
    button.onclick = open;
    link.after(" ", button);
  }
  return open;
})();
