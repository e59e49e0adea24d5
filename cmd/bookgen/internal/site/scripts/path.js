// The path of three hours: who came to the page by it is told where it goes on,
// within the page and at its end.
{
  const turn = document.getElementById("short-turn")?.content.firstElementChild;
  if (turn) {
    document.querySelector(".turn").replaceWith(turn);
    const on = turn.querySelector("[rel=next]");
    const links = [...document.querySelectorAll(".sections a[href^='#']")];
    const isShort = (link) => link.dataset.path === "short";
    let before = document.querySelector(".opener").dataset.path === "short";
    links.forEach((link, i) => {
      if (before && !isShort(link)) {
        const next = links.slice(i).find(isShort);
        const goesOn = element("a", { href: next ? next.hash : on.getAttribute("href"), textContent: next?.textContent ?? on.lastChild.data.trim() });
        document.getElementById(decodeURIComponent(link.hash.slice(1)))
          .before(element("p", { className: "path" }, "The three hours go on at ", goesOn, "."));
      }
      before = isShort(link);
    });
    document.querySelector(".opener .meta").append(
      element("span", {}, "On the three-hour path. ", element("a", { href: location.pathname, textContent: "Leave it" })));
  }
}
