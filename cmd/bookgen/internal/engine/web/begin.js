const live = () => load("player.js", "live.js", "live.css");
for (const line of document.querySelectorAll(".live")) {
  if (location.protocol === "file:") line.remove(); // no fetching there
  else line.addEventListener("focusin", () => live().then(() => goOn(line)), { once: true });
}
if (location.hash.includes("~")) live().then(() => fromLink());
