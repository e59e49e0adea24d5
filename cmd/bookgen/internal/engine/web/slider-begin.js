// Forms below figures wait; what draws anew is loaded when one is touched.
for (const form of document.querySelectorAll(".slider")) {
  if (location.protocol === "file:") form.remove(); // nothing can be fetched there
  else form.addEventListener("input", () => load("player.js", "slider.js").then(() => slide(form)), { once: true });
}
