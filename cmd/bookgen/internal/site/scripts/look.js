// Below a picture of a recorded run, or a transcript, the run itself can be looked into.
for (const figure of document.querySelectorAll("figure[data-look]")) {
  const { look, at } = figure.dataset;
  const button = element("button", { type: "button", textContent: "Look into this run" });
  const said = element("span", { role: "status" });
  const row = element("div", { className: "scrub" }, button, said);
  button.onclick = async () => {
    button.disabled = true;
    said.textContent = "";
    try {
      await load("look.js", "look.css", `look-${look}.js`);
      const { entries, versions, waits } = lookRecords[look];
      openInside("this run", {
        at: Number(at) || undefined, // its end
        follow(take) { take(structuredClone(entries)); },
        versions: async (kind, key) => versions[`${kind} ${key}`] ?? [],
        waits: async (kind, key) => waits?.[`${kind} ${key}`] ?? [],
      }, () => button.focus());
    } catch {
      said.textContent = " The view doesn’t come: is there a network?";
    }
    button.disabled = false;
  };
  figure.append(row);
  if (at && location.hash === `#${figure.id}`) button.click();
}
