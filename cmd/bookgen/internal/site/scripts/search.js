// The search dialog: a combobox over a list of results.
let entries = [];

// search-data.js calls this with rows of [kind, title, address, text].
function bookIndex(rows) {
  entries = rows.map(([kind, title, href, text]) => ({
    kind, title, href, text, lower: text.toLowerCase(),
    names: `${partsOf(title)} ${title.toLowerCase()}`,
  }));
}

const openSearch = (() => {
  const field = element("input", { type: "search", id: "query", autocomplete: "off", spellcheck: false });
  const list = element("ul", { className: "results", id: "results" });
  const status = element("p", { className: "status", role: "status" });
  const title = element("h2", { id: "search-title", textContent: "Search the book" });
  const dialog = element("dialog", { id: "searching", closedBy: "any" }, title, field, status, list);
  const attributes = { role: "combobox", "aria-controls": "results", "aria-expanded": "false", "aria-autocomplete": "list", "aria-labelledby": "search-title" };
  for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Results");
  dialog.setAttribute("aria-labelledby", "search-title");
  document.body.append(dialog);

  const options = () => [...list.children];
  const selected = () => options().findIndex((option) => option.ariaSelected === "true");

  const select = (index) => {
    options().forEach((option, i) => { option.ariaSelected = String(i === index); });
    const option = options()[index];
    if (!option) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };

  // highlighted cuts a text at the words of the query, or where they are not
  // there as they were typed, at its terms, and sets them into <mark>.
  const highlighted = (text, query, terms) => {
    if (!terms.length) return [text];
    const escaped = [...query.split(/\s+/), ...terms].map((term) => term.replace(/[^\p{L}\p{N}]/gu, "\\$&"));
    const parts = text.split(new RegExp(`(${escaped.join("|")})`, "gi"));
    return parts.map((part, i) => (i % 2 ? element("mark", {}, part) : part));
  };

  const optionFor = (entry, i, query, terms) => {
    const name = element("strong", { className: entry.kind === "symbol" ? "symbol-name" : "" }, ...highlighted(entry.title, query, terms));
    const option = element("li", { id: `result-${i}`, role: "option" }, name,
      element("small", {}, entry.kind), element("p", {}, ...highlighted(excerpt(entry, query, terms), query, terms)));
    option.onclick = () => visit(entry);
    return option;
  };

  const visit = (entry) => {
    dialog.close();
    location.href = document.body.dataset.root + entry.href;
  };

  let found = [];
  const show = () => {
    const query = field.value.trim().toLowerCase();
    const terms = termsOf(query);
    found = bestMatches(entries, query, 20);
    list.replaceChildren(...found.map((entry, i) => optionFor(entry, i, query, terms)));
    list.hidden = found.length === 0;
    field.setAttribute("aria-expanded", String(found.length > 0));
    status.textContent = !query ? "Names, sentences, exercises." : found.length ? `${found.length} found` : "Nothing found.";
    select(0);
  };

  field.oninput = show;
  field.onkeydown = (event) => {
    const count = found.length;
    if (event.key === "ArrowDown" && count) select((selected() + 1) % count);
    else if (event.key === "ArrowUp" && count) select((selected() + count - 1) % count);
    else if (event.key === "Enter" && count) visit(found[selected()]);
    else return;
    event.preventDefault();
  };

  return () => {
    if (!dialog.open) dialog.showModal();
    field.select();
    show();
  };
})();
