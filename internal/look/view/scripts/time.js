// A slider over the steps of interest. Its end is what is now, while a run goes on.
const timeBar = (look) => {
  const slider = element("input", { type: "range", min: 0, max: 0, value: 0, ariaLabel: "step" });
  const live = element("button", { type: "button", onclick: () => look.go(undefined) }, look.source.whole ? "end" : "live");
  const where = element("output", {});
  const indexOf = (n) => {
    const stops = look.record.stops();
    let low = 0, high = stops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (stops[middle] <= n) low = middle + 1; else high = middle;
    }
    return low; // 0: before the first
  };
  const to = (index) => {
    const stops = look.record.stops();
    look.go(index >= stops.length ? undefined : index > 0 ? stops[index - 1] : look.record.since());
  };
  slider.oninput = () => to(slider.valueAsNumber);
  const move = (by) => () => to(Math.max(0, Math.min(look.record.stops().length, indexOf(look.at()) + by)));
  const arrow = (words, by, ariaLabel) => element("button", { type: "button", ariaLabel, onclick: move(by) }, words);

  const draw = (state, n) => {
    const stops = look.record.stops(), index = look.isLive() ? stops.length : indexOf(n);
    slider.max = stops.length;
    slider.value = index;
    const e = look.record.entry(stops[index - 1]);
    const words = e ? `${clock(e.at)} ${said(e)}` : stops.length ? `before the first step. ${look.record.before()}` : "nothing has happened yet";
    if (where.textContent !== words) where.textContent = words;
    slider.setAttribute("aria-valuetext", words);
    live.ariaPressed = String(look.isLive());
  };
  const box = element("div", { className: "time" }, arrow("‹", -1, "a step back"), slider, arrow("›", 1, "a step on"), live, where);
  where.setAttribute("aria-live", "off"); // the slider says it
  return { box, draw };
};
