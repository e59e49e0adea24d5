// A figure is drawn anew by the chapter's own code, in a worker, with the values of
// the form below it.
const slide = (form) => {
  const root = new URL(document.body.dataset.root + "assets/", location.href).href;
  const about = sliders[form.dataset.module];
  const figure = form.closest("figure");
  const says = form.querySelector("[role=status]");
  let worker, module, allowed = false, busy = false, again = false;

  const button = (text, act) => element("button", { type: "button", textContent: text, onclick: act });
  const say = (text, ...buttons) => {
    says.replaceChildren(text, ...buttons.flatMap((one) => [" ", one]));
  };
  const end = () => {
    worker?.terminate();
    worker = undefined;
    busy = again = false;
  };
  addEventListener("pagehide", end);
  const cancel = () => button("cancel", () => { end(); say("stopped"); });

  const show = ({ drawn, wrong }) => {
    const old = figure.querySelector(".fig");
    old.hidden = !drawn;
    if (!drawn) return say(wrong);
    figure.querySelector(".scrub")?.remove(); // its steps are those of the figure before
    const [next, message] = element("template", { innerHTML: drawn }).content.childNodes;
    old.replaceWith(next);
    offerSteps(next);
    say(message?.textContent ?? next.querySelector("svg").getAttribute("aria-label") ?? next.querySelector("desc")?.textContent ?? "drawn anew");
  };

  const draw = () => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    if (!worker) {
      worker = new Worker(root + "live-worker.js");
      worker.onerror = () => { end(); say("it could not be drawn"); };
      worker.onmessage = ({ data }) => {
        if (data.module) module = data.module;
        else if (data.came) say(data.came < 1 ? `fetching: ${Math.floor(100 * data.came)} of 100` : "starting", cancel());
        else if (data.ended !== undefined) {
          end();
          say("it could not be drawn: " + data.ended);
        } else {
          busy = false;
          show(data);
          if (again) {
            again = false;
            draw();
          }
        }
      };
    }
    say(module ? "drawing" : "fetching", cancel());
    worker.postMessage({
      engine: { ...about, name: root + about.name }, module,
      slider: form.dataset.slider, values: JSON.stringify(Object.fromEntries(new FormData(form))),
    });
  };

  const allow = async () => {
    if (allowed || module || await globalThis.caches?.match(root + about.name)) {
      allowed = true;
      return draw();
    }
    say(`The chapter's own code can run in this page: ${Math.ceil(about.gzip / 1e6)} MB, fetched once.`,
      button("fetch it", () => { allowed = true; draw(); form.elements[0].focus(); }), button("not now", () => say("")));
  };

  form.onsubmit = (event) => event.preventDefault();
  form.oninput = ({ target }) => {
    const output = target.parentElement.querySelector("output");
    if (output) output.value = target.value;
    void allow();
  };
  for (const output of form.querySelectorAll("output")) output.value = output.previousElementSibling.value;
  void allow();
};
