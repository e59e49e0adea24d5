// What does it wait for? The chain from an object forward to what has to happen next.
const waitsView = (look) => {
  const box = element("div", { className: "reasons" });
  let id, notes = [], wanted, since, later;

  // Answers are asked for when anything is new, once a second at most; a run that goes on
  // has the one for now.
  const ask = async (last) => {
    if (wanted === `${id} ${last}`) return;
    if (wanted?.startsWith(`${id} `) && performance.now() - since < 1000) {
      later ??= setTimeout(() => { later = undefined; look.redraw(); }, 1000);
      return;
    }
    [wanted, since] = [`${id} ${last}`, performance.now()];
    const asked = id;
    try {
      const got = await look.source.waits(asked.split(" ")[0], keyOf(asked));
      if (asked !== id) return;
      notes = got;
      look.redraw();
    } catch (problem) {
      if (asked === id) look.say(problem.message, true);
    }
  };
  const link = ({ of, says }) => {
    const lane = of.startsWith("loop ") ? of.slice(5) : undefined;
    const wish = lane ? { lane } : { kind: of.split(" ")[0], key: keyOf(of) };
    return element("li", {}, element("button", { type: "button", onclick: () => look.select(wish, "waits") },
      coloured(element("i", { className: "dot" }), lane ? {} : look.record.colour(of)), element("b", {}, lane ? `the loop ${lane}` : of), element("span", {}, says)));
  };
  const draw = (state, n) => {
    const now = look.selected();
    if (now !== id) [id, notes, wanted] = [now, [], undefined];
    if (id) void ask(look.record.last());
    const note = notes.findLast((note) => note.n <= n);
    const past = notes.length && notes[0].now && !look.isLive();
    set(box, JSON.stringify([id, note, past]), () => {
      if (!id || past || !note) {
        const words = !id ? "Choose an object: here stands what it waits for, down to what has to happen next."
          : past ? "The lab knows what it waits for now, and not what it waited for then." : `${id} waits for nothing, as far as is known.`;
        return box.replaceChildren(element("p", {}, words));
      }
      box.replaceChildren(
        element("p", { className: note.reason === "nobody" ? "wrong" : "" }, note.ends),
        element("ol", {}, ...note.links.map(link)),
        ...(note.remedy ? [element("p", {}, "What ends it: ", element("code", {}, note.remedy))] : []));
    });
  };
  return { box, draw };
};
