// A heading has its own address beside its title, and a question beside its words.
for (const heading of document.querySelectorAll(".body :is(h2, h3)[id], .question[id] > summary")) {
  const { id } = heading.closest("[id]");
  const link = element("a", { href: `#${id}`, className: "perma", textContent: "#", tabIndex: -1 });
  link.setAttribute("aria-hidden", "true");
  heading.append(link);
}
