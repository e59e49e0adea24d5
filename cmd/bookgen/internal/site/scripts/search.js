// The search dialog: a combobox over a list of results.
let entries;

// search-data.js calls this with pages, as [name, path], and with rows of [kind,
// title, address, text], where an address is the number of a page and a place on
// it. Names are what a thing can be found by first; it is called those that are
// whole, and stands under those of its page and chapter.
function bookIndex(pages, rows) {
  const names = new Map(pages.map(([name, path]) => [path, name]));
  entries = rows.map(([kind, title, href, text]) => {
    const [, number, rest] = href.match(/^(\d+) (.*)/);
    const [where, path] = pages[number];
    const [others, meaning] = text.includes("\n") ? text.split("\n") : ["", text];
    const called = [title, ...others.split(", ")].filter(Boolean).map(plain);
    text = others && kind === "term" ? `${meaning} (${others})` : meaning;
    if (kind === "exercise") called.push(`exercise ${title}`.toLowerCase());
    const name = kind === "field" ? title.slice(title.indexOf(".") + 1) : title;
    called.push(name.toLowerCase());
    const inside = ["section", "exercise", "kubectl"].includes(kind);
    return {
      kind, title, text, called, where, href: path + rest,
      names: `${partsOf(name)} ${called.join(" ")}`, under: inside ? `${where} ${names.get(path.replace(/\/.*/, "/")) ?? ""}` : "",
    };
  });
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
  // there as they were typed, at its terms and their other words, and sets them into <mark>.
  const highlighted = (text, query, terms) => {
    if (!terms.length) return [text];
    const escaped = [...query.split(/\s+/), ...terms].map((term) => term.replace(/[^\p{L}\p{N}]/gu, "\\$&"));
    const parts = text.split(new RegExp(`(${escaped.join("|")})`, "gi"));
    return parts.map((part, i) => (i % 2 ? element("mark", {}, part) : part));
  };

  const optionFor = (entry, i, query, terms) => {
    const code = ["symbol", "kubectl", "field", "test"].includes(entry.kind);
    const name = element("strong", { className: code ? "symbol-name" : "" }, ...highlighted(entry.title, query, terms));
    const option = element("li", { id: `result-${i}`, role: "option" }, name,
      element("small", {}, ...highlighted([entry.kind, entry.where].join(", "), query, terms)), element("p", {}, ...highlighted(excerpt(entry, query, terms), query, terms)));
    option.onclick = () => visit(entry);
    return option;
  };

  const visit = (entry) => {
    dialog.close();
    const { href } = new URL(onward(document.body.dataset.root + entry.href), location.href);
    location.href = href;
    if (location.href === href) dispatchEvent(new Event("arrived")); // on this page
  };

  const most = 30;
  let found = [];
  const show = () => {
    const typed = plain(field.value.trim());
    const best = entries ? bestMatches(entries, typed) : { query: typed, found: [] };
    const terms = termsOf(best.query).flatMap((term) => [term, ...othersFor(term)]);
    found = best.found.slice(0, most);
    list.replaceChildren(...found.map((entry, i) => optionFor(entry, i, best.query, terms)));
    list.hidden = found.length === 0;
    field.setAttribute("aria-expanded", String(found.length > 0));
    const count = best.found.length;
    const meant = best.query === typed ? "" : ` for “${best.query}”`;
    const shown = count > most ? `, the best ${most} of them here` : "";
    const all = best.without ? "Nothing has all of these words. With most of them: " : "";
    status.textContent = !entries ? "The index is on its way." : !typed ? "Names, sentences, commands, fields, exercises, tests." :
      count ? `${all}${count} found${meant}${shown}.` : "Nothing found.";
    select(0);
  };

  field.oninput = show;
  field.onkeydown = (event) => {
    const count = found.length;
    if (event.key === "ArrowDown" && count) select((selected() + 1) % count);
    else if (event.key === "ArrowUp" && count) select((selected() + count - 1) % count);
    else if (event.key === "Enter" && count) visit(found[selected()]);
    else if (event.key === "Escape") dialog.close();
    else return;
    event.preventDefault();
  };

  return (typed) => {
    if (!dialog.open) {
      dialog.showModal();
      if (typed) field.value = typed;
      else field.select();
    }
    show();
  };
})();
