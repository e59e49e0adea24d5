// Turns the link to the index into a search.
// What is typed before there is a field to type into is kept for it, and in the
// field for the index.
const find = async () => {
  let typed = "";
  const keep = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Backspace") typed = typed.slice(0, -1);
    else if (event.key.length === 1) typed += event.key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", keep, true);
  try {
    await load("search.js", "dialogs.css");
  } finally {
    removeEventListener("keydown", keep, true);
  }
  openSearch(typed);
  await load("search-data.js");
  openSearch();
};
{
  const button = element("button", { type: "button", id: "find", textContent: "Search", title: "Search (/)" });
  button.onclick = find;
  document.getElementById("search")?.after(" ", button);
}
