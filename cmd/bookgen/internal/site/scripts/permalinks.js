// A heading has its own address beside its title.
for (const heading of document.querySelectorAll(".body :is(h2, h3)[id]")) {
  const link = element("a", { href: `#${heading.id}`, className: "perma", textContent: "#", tabIndex: -1 });
  link.setAttribute("aria-hidden", "true");
  heading.append(link);
}
