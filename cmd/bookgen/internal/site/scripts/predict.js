// A prediction is asked before its run is seen. Closed until its reader has named a
// continuation, or wants to be shown: the run, and what tells how it went. What was
// answered stays open, and so does all for a reader who doesn't want to be asked.
const predictions = {
  key: (question) => location.pathname.slice(new URL(document.body.dataset.root, location.href).pathname.length) + question.nextElementSibling.id,
  answered() {
    try { return JSON.parse(preferences.get("predicted")) ?? []; } catch { return []; }
  },
  // run wraps what is closed: the run, and all that goes on from it but code.
  run(question) {
    const closed = element("div", { className: "predicted" });
    let at = question;
    do at = at.nextElementSibling; while (at.matches(".question"));
    at.before(closed);
    while (closed.nextElementSibling?.matches("p:not(.predict), ul, ol, .table, figure:not(.code)")) closed.append(closed.nextElementSibling);
    return closed;
  },
  close(question) {
    const options = [];
    for (let at = question.nextElementSibling; at.matches(".question"); at = at.nextElementSibling) options.push(at);
    const closed = predictions.run(question);
    const button = (text, then) => element("button", { type: "button", textContent: text, onclick: then });
    const open = () => {
      if (!ways.isConnected) return;
      ways.remove();
      closed.removeAttribute("hidden");
      options.forEach((option) => { option.open = true; });
      preferences.set("predicted", JSON.stringify([...predictions.answered(), predictions.key(question)]));
    };
    const ways = element("p", { className: "ways" },
      button("Show me", open), " ", button("Don’t ask on any page", () => predictions.ask(false)));
    options.forEach((option) => option.addEventListener("toggle", () => {
      if (!ways.isConnected || !option.open) return;
      option.classList.add("mine");
      open();
    }));
    closed.addEventListener("beforematch", open);
    closed.before(ways);
    closed.setAttribute("hidden", "until-found");
    return { closed, open };
  },
  ask(wanted) {
    preferences.set("predictions", wanted ? "" : "shown");
    if (wanted) location.reload(); else predictions.all.forEach(({ open }) => open());
    predictions.show();
  },
  // show says beside the modes whether a reader is asked.
  show() {
    const asked = preferences.get("predictions") !== "shown";
    document.querySelectorAll(".asking button").forEach((button) => { button.setAttribute("aria-pressed", asked); });
  },
  // section returns the heading above a part of the page.
  section(at) {
    at = at.closest(".body > *");
    while (at && !at.matches("h2, h3")) at = at.previousElementSibling;
    return at;
  },
  // reveal opens what an address leads into. Whoever arrives at a section has it open.
  reveal(arrived) {
    const target = document.getElementById(decoded(location.hash.slice(1)));
    if (!target) return;
    const open = predictions.all.filter(({ closed }) => closed.contains(target) || arrived && predictions.section(closed) === predictions.section(target));
    open.forEach((one) => one.open());
    if (open.length) target.scrollIntoView();
  },
};
{
  const questions = [...document.querySelectorAll(".body > .predict")];
  const shown = preferences.get("predictions") === "shown";
  const answered = predictions.answered();
  predictions.all = shown ? [] : questions.filter((question) => !answered.includes(predictions.key(question))).map(predictions.close);
  if (questions.length) {
    for (const modes of document.querySelectorAll(".mode")) {
      const ask = element("button", { type: "button", textContent: "Ask me before a run", onclick: () => predictions.ask(ask.ariaPressed !== "true") });
      modes.after(element("p", { className: "mode asking" }, ask));
    }
    predictions.show();
  }
  addEventListener("hashchange", () => predictions.reveal(false));
  predictions.reveal(true);
}
