// The keyboard's way through code: the tab key goes from piece to piece, and
// within a piece the arrow keys go from name to name. What need not be pushed
// sideways is no stop at all.
for (const frame of document.querySelectorAll("figure.code, .signature")) {
  const stops = [...frame.querySelectorAll(":scope > figcaption :is(a, button), :scope > pre a[href]")];
  stops.slice(1).forEach((stop) => { stop.tabIndex = -1; });
  frame.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = stops.indexOf(event.target);
    if (!step || at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = stops[at + step];
    if (!next) return;
    stops[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}
{
  const frames = document.querySelectorAll("pre[tabindex]");
  const fit = () => {
    for (const pre of frames) pre.tabIndex = pre.scrollWidth > pre.clientWidth ? 0 : -1;
  };
  addEventListener("resize", fit);
  fit();
}
