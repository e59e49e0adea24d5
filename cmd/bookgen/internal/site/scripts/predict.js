// A prediction is asked before its run is seen. Closed until its reader has named a
// continuation, or wants to be shown: the run, and what tells how it went. What was
// answered stays open, and so does all for a reader who doesn't want to be asked.
{
  let asks = preferences.get("predictions") !== "shown"; // here, wherever it can't be kept
  const answered = () => new Set(preferences.get("predicted")?.split(" ")); // in other tabs, too
  const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });
  const heading = (at) => {
    for (at = at.closest(".body > *"); at?.matches(":not(h2, h3)");) at = at.previousElementSibling;
    return at;
  };
  const choice = () => {
    asks = !asks;
    preferences.set("predictions", !asks && "shown");
    if (asks) location.reload();
    all.forEach(({ open }) => open());
    switches.forEach(press);
  };
  const press = (at) => { at.ariaPressed = asks; };

  const close = (question) => {
    let at = question;
    const options = [1, 2, 3].map(() => at = at.nextElementSibling);
    const key = places.page + options[0].id;
    const open = () => {
      if (!closed.matches("[hidden=until-found]")) return; // open, or left out of the short path
      closed.hidden = false;
      if (ways.contains(document.activeElement)) closed.focus({ preventScroll: true });
      ways.remove();
      for (const option of options) option.open = true;
      if (asks) preferences.set("predicted", [...answered().add(key)].join(" "));
    };
    const closed = element("div", { className: "predicted", tabIndex: -1, onbeforematch: open });
    const ways = element("p", { className: "mode ways" }, button("Show me", open), button("Don’t ask on any page", choice));
    for (const option of options) {
      option.ontoggle = open;
      option.onclick = () => { if (closed.hidden) option.className += " mine"; };
    }
    at.after(closed);
    while (closed.nextElementSibling?.matches("p:not(.predict), ul, ol, .table, .aside, figure:not(.code)")) closed.append(closed.nextElementSibling);
    if (asks && !answered().has(key)) {
      closed.setAttribute("hidden", "until-found");
      at.after(ways);
    }
    return { closed, open };
  };
  const modes = document.querySelectorAll(".mode");
  const all = [...document.querySelectorAll(".body > .predict")].map(close);
  const switches = all.length ? [...modes].map((at) => {
    const ask = button("Ask me before a run", choice);
    at.after(element("p", { className: "mode" }, ask));
    press(ask);
    return ask;
  }) : [];

  // An address that leads into what is closed opens it, and so does that of a section
  // for a reader who comes from elsewhere, and not back to where they were.
  const reveal = (arrived) => {
    const target = document.getElementById(decoded(location.hash.slice(1)));
    if (!target) return;
    const section = arrived && heading(target);
    for (const { closed, open } of all) {
      if (!closed.hidden || !closed.contains(target) && !(section && section === heading(closed))) continue;
      open();
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", () => reveal());
  addEventListener("arrived", () => reveal(true)); // by a search
  reveal(performance.getEntriesByType("navigation")[0]?.type === "navigate" && places.all()[places.page]?.hash !== location.hash);
}
