// roving has one of many buttons in the order of the tab key; arrows go to the others.
// What it returns has to be called when there are others than before.
const roving = (box, selector) => {
  const items = () => [...box.querySelectorAll(selector)];
  const take = (item) => {
    for (const other of box.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    if (item) item.tabIndex = 0;
  };
  const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  // next is the nearest in a direction, by where they are drawn.
  const next = (from, [dx, dy]) => {
    const a = from.getBoundingClientRect();
    let best, least = Infinity;
    for (const item of items()) {
      const b = item.getBoundingClientRect();
      const [x, y] = [b.left - a.left, b.top - a.top];
      const ahead = dx * x + dy * y, aside = Math.abs(dx ? y : x);
      if (ahead > 1 && ahead + 3 * aside < least) [best, least] = [item, ahead + 3 * aside];
    }
    return best;
  };
  box.addEventListener("focusin", ({ target }) => { if (target.matches(selector)) take(target); });
  box.addEventListener("keydown", (event) => {
    const all = items(), at = all.indexOf(document.activeElement);
    if (at < 0) return;
    const to = event.key === "Home" ? all[0] : event.key === "End" ? all.at(-1) : steps[event.key] && next(all[at], steps[event.key]);
    if (event.key in steps || to) event.preventDefault();
    to?.focus();
  });
  return () => { if (!box.querySelector(`:is(${selector})[tabindex="0"]`)) take(box.querySelector(selector)); };
};
