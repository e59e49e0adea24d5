// Plays the run of the front page's drawing, write by write. Whichever Pod is deleted, its
// box is that of the recorded one, and of the one that takes its place.
{
  const said = document.querySelector(".acts");
  const list = said.querySelector("ol");
  const acts = [...list.children];
  const svg = said.parentNode.querySelector("svg");
  const pods = [...svg.querySelectorAll(".actual rect, .added")];
  const missing = svg.querySelector(".missing");
  const [, sign, count] = svg.querySelectorAll(".sum tspan");
  let deleted, rest = [], timer;

  const show = (ready) => {
    const all = ready === pods.length;
    sign.textContent = all ? "=" : "≠";
    sign.classList.toggle("unequal", !all);
    count.textContent = ready;
    pods[deleted].style.opacity = Number(all);
    missing.style.opacity = Number(!all);
  };
  const next = () => {
    const act = rest.shift();
    list.append(act);
    said.scrollTop = said.scrollHeight;
    show(Number(act.dataset.ready));
    if (rest.length === 0) clearInterval(timer);
  };
  const play = (pod) => {
    clearInterval(timer);
    deleted = pod;
    svg.classList.add("played");
    pods.forEach((box, i) => { box.style = i === pod ? "fill: var(--accent); stroke: var(--accent)" : ""; });
    missing.setAttribute("x", pods[pod].getAttribute("x"));
    list.hidden = false;
    list.replaceChildren();
    rest = [...acts];
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      while (rest.length > 0) next();
      said.scrollTop = 0;
      return;
    }
    next();
    timer = setInterval(next, 800);
  };

  svg.setAttribute("role", "group");
  ["first", "second", "third"].forEach((which, i) => {
    const place = document.createElementNS(svg.namespaceURI, "foreignObject");
    const at = { x: pods[i].getAttribute("x") - 6, y: pods[i].getAttribute("y") - 6, width: 46, height: 46 };
    for (const [name, value] of Object.entries(at)) place.setAttribute(name, value);
    place.append(element("button", { type: "button", ariaLabel: `Delete the ${which} Pod`, onclick: () => play(i) }));
    svg.append(place);
  });
}
