// A heading has its own address beside its title, and a question below its answer: a
// summary is itself to click.
for (const heading of document.querySelectorAll(".body :is(h2, h3)[id]")) {
  heading.append(element("a", { href: `#${heading.id}`, className: "perma", textContent: "#", tabIndex: -1, ariaHidden: "true" }));
}
for (const question of document.querySelectorAll(".body .question[id]")) {
  question.append(element("a", { href: `#${question.id}`, className: "perma", textContent: "link to this" }));
}
