// The path of three hours: a reader on it sees its sections alone, what was left out
// between them by its titles, and at the end of the page where the path goes on.
{
  const turn = document.getElementById("short-turn")?.content.firstElementChild;
  if (turn) {
    document.querySelector(".turn").replaceWith(turn);
    const begins = new Map();
    for (const link of document.querySelectorAll(".sections a[href^='#']")) {
      begins.set(document.getElementById(decoded(link.hash.slice(1))), link);
    }
    const sections = [{ short: document.querySelector(".opener").dataset.path === "short", nodes: [] }];
    for (const node of document.querySelector(".body").children) {
      const link = begins.get(node);
      if (link) sections.push({ link, short: link.dataset.path === "short", nodes: [] });
      sections.at(-1).nodes.push(node);
    }
    let left; // the note of what was left out here
    for (const { link, short, nodes } of sections) {
      if (short || !nodes.length) {
        if (short) left = undefined;
        continue;
      }
      nodes.forEach((node) => { node.hidden = true; });
      const href = location.pathname + (link?.hash ?? "");
      const title = link?.textContent ?? "how this page opens";
      if (left) left.append(", ");
      else nodes[0].before(left = element("p", { className: "path" }, "Left out: "));
      left.append(element("a", { href, textContent: title }));
      if (link) link.href = href;
    }
    document.querySelector(".opener .meta").append(
      element("span", {}, "On the three-hour path. ", element("a", { href: location.pathname, textContent: "Leave it" })));
    document.getElementById(decoded(location.hash.slice(1)))?.scrollIntoView();
  }
}
