// Slides: one at a time, step by step. Where there is no room for that they stay
// the page that they are. The window of who presents hears where they are, and
// says where they go.
{
  const slides = [...document.querySelectorAll(".slide")];
  const framed = parent !== self; // a picture in the window of who presents
  const room = matchMedia("(min-width: 700px)");
  const root = document.documentElement;
  const onStage = () => root.classList.contains("stage");

  // Each command of a transcript stands with what it printed, and with what
  // happened before it without anybody typing.
  const commandsOf = (strip) => {
    const groups = [];
    let open = false;
    for (const node of [...strip.childNodes]) {
      const begins = node.matches?.(".typed, .meanwhile, .remark");
      if (!groups.length || begins && !open) groups.push(element("span", { className: "command" }));
      open = begins && !node.matches(".typed");
      groups.at(-1).append(node);
    }
    strip.append(...groups);
    return groups;
  };

  const hide = (parts, shown) => parts.forEach((part, i) => part.classList.toggle("later", i >= shown));

  // What a slide shows bit by bit: up to its step last, and from 0 on.
  const bitsOf = (slide) => {
    const figure = slide.querySelector(".fig:has([data-s])");
    const strip = slide.querySelector(".output:has(.typed) samp");
    const told = slide.querySelector(".told");
    if (figure) {
      const steps = stepsOf(figure);
      const said = element("output");
      if (steps.unseen(1)) figure.after(said);
      return { last: steps.count - 1, show(step) {
        steps.show(step + 1);
        said.textContent = steps.unseen(step + 1);
      } };
    }
    if (strip) {
      const commands = commandsOf(strip);
      return { last: commands.length - 1, show(step) {
        hide(commands, step + 1);
        // What came before goes up; a long output is read from its top.
        strip.parentNode.scrollTop = Math.min(strip.parentNode.scrollHeight, commands[step].offsetTop);
      } };
    }
    if (told) return { last: 1, show: (step) => hide([told], step) };
    return { last: 0, show() {} };
  };
  const bits = slides.map(bitsOf);

  let at = -1;
  let step = 0;
  const untils = {}; // when a break, or work, is over: by slide, in milliseconds

  const goOn = (until) => {
    const time = slides[at].querySelector("time[data-minutes]");
    if (!time) return;
    if (!framed && !(untils[at] > Date.now())) untils[at] = Date.now() + time.dataset.minutes * 60_000;
    if (until) untils[at] = until;
    if (untils[at]) time.textContent = new Date(untils[at]).toTimeString().slice(0, 5);
  };

  const go = (to, bit = 0, until) => {
    to = Math.max(0, Math.min(to, slides.length - 1));
    if (to !== at) {
      bits[at]?.show(bits[at].last);
      slides.forEach((slide, i) => slide.classList.toggle("now", i === to));
      at = to;
      if (!onStage()) slides[at].scrollIntoView();
      else if (!framed) slides[at].focus({ preventScroll: true });
      history.replaceState(null, "", `#${at + 1}`);
      goOn(until);
    }
    step = onStage() ? Math.max(0, Math.min(bit, bits[at].last)) : bits[at].last;
    bits[at].show(step);
    tell();
  };

  const blacken = () => {
    root.classList.toggle("black");
    tell();
  };
  const next = () => (step < bits[at].last ? go(at, step + 1) : go(at + 1, at + 1 < slides.length ? 0 : step));
  const before = () => (step > 0 ? go(at, step - 1) : go(at - 1, at > 0 ? Infinity : 0));
  const moves = {
    ArrowRight: next, PageDown: next, " ": next,
    ArrowLeft: before, PageUp: before,
    ArrowDown: () => go(at + 1),
    ArrowUp: () => go(at - 1),
    Home: () => go(0),
    End: () => go(slides.length - 1),
    b: blacken,
  };
  const keys = {
    ...moves,
    p: () => listeners.add(open("presenter.html", "presenter", "popup,width=1440,height=900")),
    f: () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen()),
    "?": () => load("help.js", "dialogs.css").then(() => openHelp({
      "→": "next step (space and page down, too)",
      "←": "step before (page up, too)",
      "↓ ↑": "next slide, slide before",
      "Home": "first slide",
      "End": "last slide",
      "p": "notes, in a window of their own",
      "b": "black, and back",
      "f": "full screen",
      "?": "this list",
    })),
  };

  // Those who hear where the slides are: all who have ever said a word, because a
  // window that is loaded anew does not know whom it has opened.
  const listeners = new Set([framed ? parent : opener].filter(Boolean));
  const tell = () => {
    if (at < 0) return;
    const deck = { at, step, count: slides.length, until: untils[at], black: root.classList.contains("black") };
    listeners.forEach((listener) => listener?.postMessage({ deck }, "*"));
  };
  addEventListener("message", ({ data: { to }, source, origin }) => {
    if (!to || origin !== self.origin) return;
    listeners.add(source);
    if (to.key in moves) moves[to.key]();
    else if (Number.isInteger(to.at)) go(to.at, to.step, to.until);
    else tell();
    if ("black" in to) root.classList.toggle("black", to.black);
  });

  addEventListener("keydown", (event) => {
    const single = /^[a-z?]$/.test(event.key);
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog")) return;
    if (!onStage() || !(event.key in keys) || single && preferences.get("keys") === "off") return;
    event.preventDefault();
    keys[event.key]();
  });

  const follow = () => {
    const place = decoded(location.hash.slice(1));
    const target = document.getElementById(place)?.closest(".slide");
    const to = target ? slides.indexOf(target) : 0;
    if (onStage() && to !== at) go(to);
  };
  const play = () => {
    root.classList.toggle("stage", framed || room.matches);
    if (at >= 0) go(at, step);
    else if (onStage()) follow();
  };
  if (!framed) slides.forEach((slide) => { slide.tabIndex = -1; }); // a picture takes no keys
  addEventListener("hashchange", follow);
  addEventListener("resize", () => { if (onStage()) go(at, step); });
  room.onchange = play;
  play();
}
