// The loops that are held, by name if they are few.
const heldBar = (look) => {
  const box = element("span", { className: "words" });
  const draw = (state) => {
    const held = [...state.lanes.values()].filter((lane) => lane.hold), words = held.map((lane) => `${lane.name} is ${lane.hold}`);
    set(box, words.join(), () => box.replaceChildren(...(held.length > 3 ? [element("span", { className: "wrong" }, `${held.length} loops are held`)]
      : held.map((lane, i) => element("button", { type: "button", className: "wrong", onclick: () => look.select({ lane: lane.name }) }, words[i])))));
  };
  return { box, draw };
};

// What holds the world, and what breaks it: there only where something can be held.
const holdBar = (look) => {
  const { act } = look.source, held = heldBar(look);
  if (!act) return held;
  const which = element("select", { ariaLabel: "which loop", onchange: () => look.select(which.value ? { lane: which.value } : {}) });
  const ask = async (verb, params) => {
    try {
      look.say(await act(verb, params) || `${verb}: done`);
    } catch (problem) {
      look.say(problem.message, true);
    }
  };
  const button = (verb, words, title) => element("button", {
    type: "button", title, onclick: () => ask(verb, which.value ? { of: which.value } : {}),
  }, words);
  const step = button("step", "Step", "one reconcile of the loop that is chosen");

  // what a verb is asked about, and how the menu says it
  const breaks = {
    drop: ["drop the next event for", "lane"], conflict: ["refuse the next write of", "lane"],
    lose: ["lose the answer to the next write of", "lane"], crash: ["crash after its next write", "lane"],
    late: ["keep back the cache of", "kind"], cut: ["cut the network of", "machine"], stop: ["stop machine", "machine"],
    start: ["start machine", "machine"], fail: ["fail the image", "image"], heal: ["heal the image", "image"],
  };
  const options = (state, what) => [...new Set({
    lane: () => [...state.lanes.keys()], kind: () => [...state.unheard.keys()], machine: () => allOf(state, "Node").map((node) => node.key),
    image: () => allOf(state, "Pod").map((pod) => pod.is.image),
  }[what]().filter(Boolean))].sort();
  const fill = (select, names, first) => set(select, names.join(), () => {
    const { value } = select;
    select.replaceChildren(...first, ...names.map((name) => element("option", { value: name }, name)));
    if (names.includes(value)) select.value = value;
  });
  const verb = element("select", { ariaLabel: "what to break" }, ...Object.entries(breaks).map(([value, [words]]) => element("option", { value }, words)));
  const of = element("select", { ariaLabel: "of what" });
  const time = element("input", { type: "text", value: "10s", size: 4, ariaLabel: "for how long" });
  const form = element("form", {}, verb, of, time, element("button", {}, "Break it"));
  form.onsubmit = (event) => {
    event.preventDefault();
    const what = breaks[verb.value][1];
    void ask(verb.value, { of: of.value, ...(what === "kind" ? { for: time.value } : {}) });
  };
  verb.onchange = () => look.redraw();

  const draw = (state) => {
    held.draw(state);
    fill(which, options(state, "lane"), [element("option", { value: "" }, "all loops")]);
    if (which !== document.activeElement) which.value = state.lanes.has(look.lane()) ? look.lane() : "";
    step.disabled = !which.value;
    const what = breaks[verb.value][1];
    time.hidden = what !== "kind";
    fill(of, options(state, what), []);
  };
  const box = element("div", { className: "hold" }, which, button("pause", "Pause", "they take no other key"), step,
    button("slow", "Slow", "each step takes a second"), button("go-on", "Go on", "as if nothing had been"),
    element("details", {}, element("summary", {}, "Break it"), form), button("resync", "Resync", "all objects are told again"), held.box);
  return { box, draw };
};
