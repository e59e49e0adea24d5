// On paper, answers stand at the end for whoever does the exercises: nobody turns a page
// by mistake.
{
  let restore = [];
  const move = (part, to) => {
    const mark = document.createComment("");
    part.replaceWith(mark);
    restore.push(() => mark.replaceWith(part));
    to.append(part);
  };

  addEventListener("beforeprint", () => {
    if (document.documentElement.dataset.mode !== "doing") return;
    const appendix = element("section", {}, element("h2", {}, "Answers"));
    for (const card of document.querySelectorAll(".exercise")) {
      const number = card.id.replace("exercise-", "");
      const answers = document.querySelectorAll(`[id="answer-${number}"] > .code, [id^="answer-${number}-"] > .code`);
      if (!answers.length) continue;
      const title = card.querySelector("h3").cloneNode(true);
      title.querySelector(".perma")?.remove();
      appendix.append(element("h3", {}, title.textContent));
      answers.forEach((answer) => move(answer, appendix));
    }
    if (!restore.length) return;
    [...document.querySelectorAll(".body")].at(-1).append(appendix);
    restore.push(() => appendix.remove());
  });
  addEventListener("afterprint", () => {
    restore.forEach((undo) => undo());
    restore = [];
  });
}
