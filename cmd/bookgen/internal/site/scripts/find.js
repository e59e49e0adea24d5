// Turns the link to the index into a search.
const find = async () => {
  await load("search.js", "dialogs.css");
  await load("search-data.js");
  openSearch();
};
{
  const button = element("button", { type: "button", id: "find", textContent: "Search", title: "Search (/)" });
  button.onclick = find;
  document.getElementById("search")?.after(" ", button);
}
