// A transcript goes on at a prompt below it; what plays it is loaded when that is used.
if (location.protocol !== "file:") { // nothing can be fetched there
  const live = (...more) => load("player.js", "live.js", "live.css", ...more);
  for (const figure of document.querySelectorAll(".output.scene:has(figcaption a)")) {
    const input = element("input", { ariaLabel: "What happens next?", placeholder: "kubectl get pods" });
    const form = element("form", { className: "live" }, element("label", {}, "$ ", input));
    const begun = () => live().then(() => goOn(form));
    form.addEventListener("focusin", begun, { once: true });
    form.onsubmit = () => { // what comes answers this as well
      begun().then(() => form.requestSubmit());
      return false;
    };
    const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });
    const [chapter, , file] = figure.querySelector("figcaption a").pathname.split("/").slice(-3);
    const scene = `${chapter}/${file.replace(".html", "")}${figure.id.replace(/^[^:]*/, "")}`;
    const play = element("a", { textContent: "play", href: `${document.body.dataset.root}play.html#from:${scene}` });
    form.append(element("p", {}, button("go on", () => input.focus()), " · ", play, " · ", button("look inside", () => begun().then((one) => one.look()))));
    figure.append(form);
  }
  if (location.hash.includes("~")) live().then(() => fromLink());
  if (document.getElementById("play")) live("play.css").then(() => load("play.js"));
}
