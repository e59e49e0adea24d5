// Goes through a figure step by step.
function scrub(figure, row) {
  const steps = stepsOf(figure);
  const { count } = steps;
  const range = element("input", { type: "range", min: 1, max: count, value: 1, ariaLabel: "Step" });
  const said = element("output");
  const button = (text, label, by) => {
    const made = element("button", { type: "button", textContent: text, ariaLabel: label });
    made.onclick = () => {
      range.value = Number(range.value) + by;
      show();
    };
    return made;
  };
  const before = button("‹", "step before", -1);
  const next = button("›", "next step", 1);

  const show = () => {
    const now = Number(range.value);
    steps.show(now);
    before.disabled = now === 1;
    next.disabled = now === count;
    range.setAttribute("aria-valuetext", `${now} of ${count}`);
    said.replaceChildren(element("b", {}, `Step ${now} of ${count}`), " " + steps.said(now));
  };

  range.oninput = show;
  row.replaceChildren(before, range, next, said);
  show();
  range.focus();
}
