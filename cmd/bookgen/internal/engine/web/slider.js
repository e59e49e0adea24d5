// A figure is drawn anew by the chapter's own code, in a worker, with the values of
// the form below it.
const slide = (() => {
  let player; // one for the whole page
  return (form) => {
    player ??= playerOf(sliders);
    const figure = form.closest("figure");
    const says = form.querySelector("[role=status]");
    let touched = form.elements[0], busy = false, again = false;

    const valuesOf = (form) => JSON.stringify(Object.fromEntries(new FormData(form)));
    const untouched = form.cloneNode(true);
    untouched.reset();
    const recorded = valuesOf(untouched);
    let shown = recorded; // the values of the figure that stands there
    const back = () => {
      for (const input of form.querySelectorAll("[name]")) {
        const value = JSON.parse(shown)[input.name];
        if (input.type === "checkbox") input.checked = !!value;
        else input.value = value;
      }
      outputs();
    };
    const outputs = () => { for (const output of form.querySelectorAll("output")) output.value = output.previousElementSibling.value; };

    const say = (text, ...buttons) => says.replaceChildren(text, ...buttons.flatMap((one) => [" ", one]));
    const cancel = () => buttonOf("cancel", player.end);

    const show = ({ drawn, wrong }, values) => {
      const old = figure.querySelector(".fig");
      old.hidden = !drawn;
      figure.querySelector("figcaption").hidden = values !== recorded; // it is about that run
      figure.querySelector(".scrub")?.remove(); // its steps are those of the figure before
      if (!drawn) return say(wrong);
      const next = element("template", { innerHTML: drawn }).content.firstChild;
      old.replaceWith(next);
      shown = values;
      offerSteps(next);
      say(next.querySelector("svg").getAttribute("aria-label") ?? next.querySelector("desc")?.textContent ?? "drawn anew");
    };

    // begin draws what can be drawn, and says of the rest why it can't.
    const begin = () => {
      const wrong = refusal(form);
      if (!wrong) return ask();
      again = busy;
      if (player.isHere()) show({ wrong });
      else say(wrong);
    };
    // draw draws with the values that are set when it begins, and once more if they have
    // changed by then.
    const draw = async () => {
      again = busy;
      if (busy) return;
      busy = true;
      if (says.contains(document.activeElement)) touched.focus();
      say(player.isHere() ? "drawing" : "fetching", cancel());
      const values = valuesOf(form);
      const came = (part) => say(part < 1 ? `fetching: ${Math.floor(100 * part)} of 100` : "starting", cancel());
      try {
        show(await player.play({ slider: form.dataset.slider, values }, came), values);
      } catch (problem) {
        again = false;
        if (problem.stopped) say("stopped");
        else cannot(problem);
      }
      busy = false;
      if (again) begin();
    };
    const cannot = (problem) => {
      back();
      say("It could not be drawn. " + problem.message);
    };
    const ask = () => void player.allow("The chapter's own code", say, draw, () => { back(); touched.focus(); }).catch(cannot);

    form.onsubmit = (event) => event.preventDefault();
    form.oninput = ({ target }) => {
      touched = target;
      outputs();
      begin();
    };
    outputs();
    begin();
  };
})();
