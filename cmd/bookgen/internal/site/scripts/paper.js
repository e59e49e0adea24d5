// On paper, hints stand at the end, and so do answers for whoever does the exercises:
// nobody turns a page by mistake.
{
  let restore = [];
  const move = (part, to) => {
    const mark = document.createComment("");
    part.replaceWith(mark);
    restore.push(() => mark.replaceWith(part));
    to.append(part);
  };

  addEventListener("beforeprint", () => {
    const appendix = element("section", { className: "appendix" }, element("h2", {}, "Hints and answers"));
    for (const card of document.querySelectorAll(".exercise")) {
      const number = card.id.replace("exercise-", "");
      const of = [...card.querySelectorAll(":scope > :is(.hint, .wrong)")];
      if (document.documentElement.dataset.mode === "doing") {
        of.push(...document.querySelectorAll(`[id="answer-${number}"] > .code, [id^="answer-${number}-"] > .code`));
      }
      if (!of.length) continue;
      const title = card.querySelector("h3").cloneNode(true);
      title.querySelector(".perma")?.remove();
      appendix.append(element("h3", {}, title.textContent));
      of.forEach((part) => move(part, appendix));
    }
    if (!restore.length) return;
    document.querySelector(".body").append(appendix);
    restore.push(() => appendix.remove());
  });
  addEventListener("afterprint", () => {
    restore.forEach((undo) => undo());
    restore = [];
  });
}
