// The keyboard. Single keys can be switched off, and never act while typing.
{
  const go = (step) => {
    const places = [...document.querySelectorAll(".body h2[id], .body h3[id], .symbol, .letter h2")];
    const tops = places.map((place) => place.getBoundingClientRect().top);
    const head = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
    const at = step > 0 ? tops.findIndex((top) => top > head + 8) : tops.findLastIndex((top) => top < head - 8);
    if (at >= 0) places[at].scrollIntoView();
    else if (step < 0) scrollTo(0, 0);
  };
  const turn = (way) => document.querySelector(`a[rel="${way}"]`)?.click();

  const help = () => load("help.js", "dialogs.css").then(() => openHelp({
    "/": "search (ctrl-K too)",
    "j": "next section",
    "k": "section before",
    "[": "chapter before",
    "]": "next chapter",
    "← →": "in code: the name before, the next name",
    "?": "this list",
    "Esc": "close",
  }));
  const keys = {
    "/": find,
    "j": () => go(1),
    "k": () => go(-1),
    "[": () => turn("prev"),
    "]": () => turn("next"),
    "?": help,
  };

  const enabled = () => preferences.get("keys") !== "off";
  const typing = (event) => event.target.closest("input:not([type=checkbox]), textarea, select, dialog[open], [contenteditable]");

  addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      find();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event) || !enabled()) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  const button = element("button", { type: "button", textContent: "Keys" });
  button.onclick = help;
  document.querySelector(".colophon p:last-child")?.append(" ", button);
}
