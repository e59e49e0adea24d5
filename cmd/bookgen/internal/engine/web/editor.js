// A text that is changed below a transcript. actions are buttons' words with what they
// do to the text; what one of them returns says whether the editor stays, with words on
// why. leave is called when it has gone.
const editor = (leave) => {
  const box = element("div", { className: "editor", hidden: true });
  const close = () => {
    box.hidden = true;
    leave();
  };
  return {
    box,
    hide() { box.hidden = true; },
    open(title, text, actions) {
      const area = element("textarea", { value: text, spellcheck: false, autocapitalize: "off" });
      area.rows = Math.min(18, text.split("\n").length + 1);
      area.onkeydown = (event) => {
        if (event.key === "Escape") close();
      };
      const wrong = element("p", { className: "wrong", hidden: true });
      wrong.setAttribute("role", "alert");
      const buttons = Object.entries(actions).map(([words, act]) => buttonOf(words, async () => {
        const why = await act(area.value);
        wrong.textContent = why ?? "";
        wrong.hidden = !why;
        if (!why) close();
      }));
      box.replaceChildren(element("label", {}, title, area), wrong, element("p", { className: "words" }, ...buttons, buttonOf("close", close)));
      box.hidden = false;
      area.setSelectionRange(0, 0); // or else focus scrolls to the text's end
      area.focus();
    },
  };
};
