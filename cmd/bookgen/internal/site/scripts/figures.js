// Offers to go through a figure that has steps, one by one.
function offerSteps(figure) {
  if (!figure.querySelector("[data-s]")) return;
  const button = element("button", { type: "button", textContent: "Step by step" });
  const row = element("div", { className: "scrub" }, button);
  button.onclick = async () => {
    await load("scrub.js", "scrub.css");
    scrub(figure, row);
  };
  figure.after(row);
}
for (const figure of document.querySelectorAll(".fig")) offerSteps(figure);
