// A transcript goes on at a prompt below it; what plays it is loaded when that is used.
if (location.protocol !== "file:") { // nothing can be fetched there
  const live = () => load("player.js", "live.js", "live.css");
  for (const figure of document.querySelectorAll(".output.scene")) {
    const input = element("input", { ariaLabel: "What happens next?", placeholder: "kubectl get pods" });
    const form = element("form", { className: "live" }, element("label", {}, "$ ", input));
    form.addEventListener("focusin", () => live().then(() => goOn(form)), { once: true });
    figure.append(form);
  }
  if (location.hash.includes("~")) live().then(() => fromLink());
}
