// The steps of a figure: what is past stays as it is, the step at hand stands
// out, and what is to come is faint. Over time it is not there yet: how long
// something lasts is not known when it begins.
function stepsOf(figure) {
  const stub = 9; // so much is seen of what begins
  splitHeads(figure);
  const parts = [...figure.querySelectorAll("[data-s], [data-e]")]
    .map((part) => [Number((part.dataset.s ?? part.dataset.e).split("-").at(-1)), part]);
  const count = Math.max(...parts.map(([step]) => step));

  const show = (now) => {
    for (const [step, part] of parts) {
      part.classList.toggle("now", step === now);
      part.classList.toggle("later", step > now);
    }
    for (const drawing of figure.querySelectorAll("svg")) {
      const at = drawing.querySelector(`[data-s="${now}"] > .f-z`)?.getAttribute("d").match(/[\d.]+/)[0];
      const ahead = at && now < count ? drawing.viewBox.baseVal.width - at - stub : 0;
      drawing.style.setProperty("--ahead", `${ahead}px`);
    }
  };
  return { count, show, said: (step) => textOf(figure, step), unseen: (step) => shownAt(figure, step).dataset.t };
}

// splitHeads gives every arrow between two steps a head of its own; they are
// drawn as one path, in the order of the arrows.
function splitHeads(figure) {
  for (const heads of figure.querySelectorAll("path.f-h")) {
    const arrows = heads.parentNode.querySelectorAll("[data-e]");
    if (!arrows.length) continue;
    heads.replaceWith(...heads.getAttribute("d").match(/M[^M]+/g).map((d, i) => {
      const head = heads.cloneNode();
      head.setAttribute("d", d);
      head.dataset.e = arrows[i].dataset.e;
      return head;
    }));
  }
}

// textOf is what a step says, without its number: in the narrow drawing, which
// names the lane too, or has words with it that it does not show. Lines that
// were broken at a hyphen or a slash belong together.
function textOf(figure, step) {
  const shown = shownAt(figure, step);
  if (shown.dataset.t) return shown.dataset.t;
  const words = [];
  const collect = (node) => {
    if (node.nodeType === Node.TEXT_NODE) words.push(node.data.trim());
    else if (!node.matches(".f-n")) node.childNodes.forEach(collect);
  };
  collect(shown);
  return words.filter(Boolean).join(" ").replace(/(\w[-/]) (?=\w)/g, "$1");
}

function shownAt(figure, step) {
  return figure.querySelector(`.narrow [data-s="${step}"]`);
}
