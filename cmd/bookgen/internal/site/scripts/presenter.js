// The window of who presents: what is shown and what comes next, what to say, and
// the clock against the plan. Keys lead the slides, in their own window or, if
// there is none, in the picture of them.
{
  const frames = [...document.querySelectorAll("iframe")];
  const [shown, coming] = frames.map((frame) => frame.contentWindow);
  const lines = [...document.querySelectorAll("article")];
  const links = [...document.querySelectorAll(".schedule a")];
  const [begin, plan, show] = document.querySelectorAll("button");
  document.documentElement.classList.add("stage");

  let deck = opener;
  let line = lines[0];
  const there = () => deck && !deck.closed;
  const say = (to, whom) => whom.postMessage({ to }, "*");
  const lead = (to) => say(to, there() ? deck : shown);

  const follow = ({ at, step, count, until, black }) => {
    if (there()) say({ at, step, until, black }, shown);
    say({ at: Math.min(at + 1, count - 1), step: 0 }, coming);
    turnTo(lines.findLast((each) => each.dataset.first <= at + 1));
    for (const asked of line.querySelectorAll("[data-slide]")) asked.classList.toggle("now", asked.dataset.slide == at + 1);
    tick();
  };

  const turnTo = (to) => {
    if (to.matches(".now")) return;
    line = to;
    lines.forEach((each, i) => {
      each.classList.toggle("now", each === line);
      if (each === line) links[i].setAttribute("aria-current", "true");
      else links[i].removeAttribute("aria-current");
    });
    links[lines.indexOf(line)].scrollIntoView({ block: "nearest" });
    line.parentNode.scrollTop = 0;
  };

  addEventListener("message", ({ data, source, origin }) => {
    if (!data.deck || origin !== self.origin || source !== (there() ? deck : shown)) return;
    follow(data.deck);
  });

  // The plan's clock is the one on the wall, until a session begins at another
  // time than planned. That is forgotten overnight.
  const key = `clock ${location.pathname}`;
  const today = () => new Date().toDateString();
  const shift = () => {
    const [day, minutes] = (preferences.get(key) ?? "").split("|");
    return day === today() ? Number(minutes) : 0;
  };
  const wall = () => {
    const now = new Date();
    return now.getHours() * 60 + now.getMinutes() + now.getSeconds() / 60;
  };
  const spoken = (minutes) => `${minutes} minute${minutes === 1 ? "" : "s"}`;

  const tick = () => {
    const time = wall() + shift();
    const starts = Number(line.dataset.at);
    const ends = starts + Number(line.dataset.minutes);
    document.querySelector(".wall").textContent = new Date().toTimeString().slice(0, 5);
    const late = Math.floor(time - ends);
    const early = Math.floor(starts - time);
    const said = document.querySelector(".clock output");
    said.textContent = late > 0 ? `${spoken(late)} late` : early > 0 ? `${spoken(early)} early` :
      `on time, ${spoken(Math.max(0, Math.ceil(ends - time)))} left`;
    said.className = late > 0 ? "late" : "";
    plan.disabled = shift() === 0;
    show.hidden = there();
  };

  begin.onclick = () => {
    preferences.set(key, `${today()}|${line.dataset.at - wall()}`);
    tick();
  };
  plan.onclick = () => {
    preferences.set(key, "");
    tick();
  };
  show.onclick = () => { deck = open(`slides.html#${line.dataset.first}`, "slides"); };

  links.forEach((link, i) => {
    link.onclick = (event) => {
      event.preventDefault();
      lead({ at: lines[i].dataset.first - 1 });
    };
  });
  const keys = ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End", " ", "b"];
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys.includes(event.key)) return;
    if (event.key === " " && event.target.closest("button")) return;
    event.preventDefault();
    lead({ key: event.key });
  });

  // A picture is a whole slide, made small.
  const fit = () => frames.forEach((frame) => { frame.style.scale = frame.parentNode.clientWidth / 1280; });
  addEventListener("resize", fit);
  fit();

  // Windows that are loaded anew hear of each other within a second.
  const beat = () => {
    lead({});
    tick();
  };
  setInterval(beat, 1000);
  beat();
}
