// A prediction is asked before its run is seen. Closed until its reader has named a
// continuation, or wants to be shown: the run, and what tells how it went. What was
// answered stays open, and so does all for a reader who doesn't want to be asked.
{
  const root = new URL(document.body.dataset.root, location.href).pathname.length;
  const answered = new Set(preferences.get("predicted")?.split(" "));
  const asked = () => preferences.get("predictions") !== "shown";
  const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });
  const heading = (at) => {
    for (at = at.closest(".body > *"); at && !at.matches("h2, h3");) at = at.previousElementSibling;
    return at;
  };
  const choice = () => {
    preferences.set("predictions", asked() && "shown");
    if (asked()) location.reload();
    all.forEach(({ open }) => open());
    switches.forEach(press);
  };
  const press = (at) => { at.ariaPressed = asked(); };

  const close = (question) => {
    const closed = element("div", { className: "predicted" });
    const options = [];
    let at = question.nextElementSibling;
    const key = location.pathname.slice(root) + at.id;
    for (; at.matches(".question"); at = at.nextElementSibling) options.push(at);
    const ways = element("p", { className: "ways" }, button("Show me", () => open()), button("Don’t ask on any page", choice));
    const open = () => {
      if (!closed.hidden) return;
      closed.hidden = false;
      ways.remove();
      for (const option of options) option.open = true;
      preferences.set("predicted", [...answered.add(key)].join(" "));
    };
    for (const option of options) {
      option.addEventListener("toggle", () => {
        if (closed.hidden) option.classList.add("mine");
        open();
      });
    }
    at.before(ways, closed);
    while (closed.nextElementSibling?.matches("p:not(.predict), ul, ol, .table, figure:not(.code)")) closed.append(closed.nextElementSibling);
    if (asked() && !answered.has(key)) {
      closed.setAttribute("hidden", "until-found");
      closed.addEventListener("beforematch", open);
    } else ways.remove();
    return { closed, open };
  };
  const all = [...document.querySelectorAll(".body > .predict")].map(close);
  const switches = all.length ? [...document.querySelectorAll(".mode")].map((modes) => {
    const ask = button("Ask me before a run", choice);
    modes.after(element("p", { className: "mode asking" }, ask));
    press(ask);
    return ask;
  }) : [];

  // An address that leads into what is closed opens it, and so does that of a section.
  const reveal = (arrived) => {
    const target = document.getElementById(decoded(location.hash.slice(1)));
    if (!target) return;
    for (const { closed, open } of all) {
      if (!closed.hidden || !closed.contains(target) && !(arrived && heading(closed) === heading(target))) continue;
      open();
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", () => reveal());
  reveal(true);
}
