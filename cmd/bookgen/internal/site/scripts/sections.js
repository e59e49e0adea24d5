// Marks the section that is being read in the list of sections, keeps its place
// in that list in view, and says it on the strip that the list is on a small
// screen.
{
  const links = new Map();
  for (const link of document.querySelectorAll(".sections a")) {
    const heading = document.getElementById(decoded(link.hash.slice(1)));
    if (heading) links.set(heading, link);
  }

  const strip = document.querySelector(".sections");
  const title = strip?.querySelector(".here i");
  const start = title?.textContent;
  const count = element("small");
  title?.after(count);

  const mark = () => {
    let current;
    for (const [heading, link] of links) {
      if (!heading.hidden && heading.getBoundingClientRect().top < innerHeight / 3) current = link;
    }
    for (const link of links.values()) link.ariaCurrent = link === current || null;
    const list = current?.closest("details");
    if (list && list.scrollHeight > list.clientHeight) {
      list.scrollTop = current.offsetTop - list.clientHeight / 2;
    }
    const at = [...links.values()].indexOf(current) + 1;
    title.textContent = current?.textContent ?? start;
    count.textContent = at ? `${at} of ${links.size}` : "";
    if (at) places.keep(current.hash, title.textContent, count.textContent);
  };

  // Told when a heading passes the line at a third of the window, however far
  // a jump carries it: all that is above the line counts as in sight.
  const observer = new IntersectionObserver(mark, { rootMargin: "9999999px 0px -66% 0px" });
  links.forEach((_, heading) => observer.observe(heading));

  // In the margin the list is always open, and shows what is below a section
  // while that is being read. On the strip it begins folded, and has done its
  // work once a section is chosen, or something else is.
  const details = strip?.querySelector("details");
  const margin = matchMedia("(min-width: 1360px)");
  const fold = () => { details.open = margin.matches; };
  if (details) {
    margin.onchange = fold;
    fold();
    details.classList.add("follows");
    addEventListener("click", (event) => {
      if (!details.contains(event.target) || event.target.closest("a")) fold();
    });
    addEventListener("keydown", (event) => { if (event.key === "Escape") fold(); });
    addEventListener("scroll", () => {
      strip.style.setProperty("--read", scrollY / (document.documentElement.scrollHeight - innerHeight));
    }, { passive: true });
  }
}
