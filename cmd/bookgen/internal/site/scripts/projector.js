// A page for a whole room, ?projector, for which the head has set its mark: what
// leads on from it within the book leads to such a page.
const onward = (() => {
  if (!("projector" in document.documentElement.dataset)) return (href) => href;
  const kept = (href) => {
    const url = new URL(href, location.href);
    if (url.protocol !== location.protocol || url.host !== location.host || url.searchParams.has("projector")) return href;
    url.search += (url.search ? "&" : "?") + "projector";
    return url.href;
  };
  for (const press of ["click", "auxclick"]) addEventListener(press, (event) => {
    const link = event.target.closest?.("a[href]");
    const href = link?.getAttribute("href");
    if (href && kept(href) !== href) link.setAttribute("href", kept(href));
  }, true);
  return kept;
})();
