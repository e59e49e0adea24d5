// A prompt below each transcript waits; what answers is loaded when it is used.
for (const line of document.querySelectorAll(".live")) {
  if (location.protocol === "file:") line.remove(); // nothing can be fetched there
  else line.addEventListener("focusin", () => load("live.js").then(() => goOn(line)), { once: true });
}
if (location.hash.includes("~")) load("live.js").then(() => fromLink());
