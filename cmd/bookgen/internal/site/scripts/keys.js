// The keyboard. Single keys can be switched off, and never act while typing.
{
  const go = (step) => {
    const places = [...document.querySelectorAll(".body h2[id], .body h3[id], .symbol, .letter h2")];
    const tops = places.map((place) => place.getBoundingClientRect().top);
    const at = step > 0 ? tops.findIndex((top) => top > 60) : tops.findLastIndex((top) => top < -10);
    if (at >= 0) places[at].scrollIntoView();
    else if (step < 0) scrollTo(0, 0);
  };
  const turn = (way) => document.querySelector(`a[rel="${way}"]`)?.click();

  const keys = {
    "/": { does: "search (ctrl-K too)", act: find },
    "j": { does: "next section", act: () => go(1) },
    "k": { does: "section before", act: () => go(-1) },
    "[": { does: "chapter before", act: () => turn("prev") },
    "]": { does: "next chapter", act: () => turn("next") },
    "?": { does: "this list", act: () => help() },
    "Esc": { does: "close", act() { } },
  };

  const help = () => {
    const list = element("dl", { className: "keys" });
    for (const [key, { does }] of Object.entries(keys)) {
      list.append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, does));
    }
    const box = element("input", { type: "checkbox", checked: enabled() });
    box.onchange = () => preferences.set("keys", box.checked ? "" : "off");
    const close = element("button", { type: "button", textContent: "Close" });
    const title = element("h2", { id: "keys-title", textContent: "Keys" });
    const dialog = element("dialog", { id: "keys", closedBy: "any" }, title, list,
      element("label", {}, box, " single keys work"), close);
    dialog.setAttribute("aria-labelledby", title.id);
    close.onclick = () => dialog.close();
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
  };

  const enabled = () => preferences.get("keys") !== "off";
  const typing = (event) => event.target.closest("input, textarea, select, dialog, [contenteditable]");

  addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      find();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event) || !enabled()) return;
    const key = keys[event.key];
    if (!key) return;
    event.preventDefault();
    key.act();
  });

  const button = element("button", { type: "button", textContent: "Keys" });
  button.onclick = help;
  document.querySelector(".colophon p:last-child")?.append(" ", button);
}
