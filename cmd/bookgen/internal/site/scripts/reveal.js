// A link into something folded unfolds it, in browsers that do not by themselves.
{
  const reveal = () => {
    const target = document.getElementById(decoded(location.hash.slice(1)));
    if (!target) return;
    let folded = false;
    for (let at = target.closest("summary") ? null : target; at; at = at.parentElement) {
      if (at.matches("details:not([open])")) {
        at.open = true;
        folded = true;
      }
    }
    if (folded) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
}
