// Offers to go through the path of an event, or the lives of Pods, step by step.
for (const figure of document.querySelectorAll(".fig-path, .fig-lanes")) {
  const button = element("button", { type: "button", textContent: "Step by step" });
  const row = element("div", { className: "scrub" }, button);
  button.onclick = async () => {
    await load("scrub.js", "scrub.css");
    scrub(figure, row);
  };
  figure.after(row);
}
