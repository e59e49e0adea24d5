// The page of an empty cluster. All that happens in it is a list of lines, which its
// address holds.
const playPage = (place) => {
  const choice = place.querySelector("select");
  const titles = new Map([...choice.options].map((option) => [option.value, option.textContent]));
  const version = engine.name.replace(/^engine-|\.wasm$/g, "");
  const stage = element("div", { className: "stage" }), files = element("div", { className: "files" });
  const above = element("p", { className: "claim", hidden: true });
  const foot = element("p", { className: "words share" });
  above.setAttribute("role", "status");
  place.append(above, element("div", { className: "both" }, stage, files), foot);
  place.hidden = false;

  let now; // what stands here: what it begins with, the lines, and what they printed
  let claim, prompt, last;
  const titleOf = (begins) => titles.get(begins) ?? "What was played from " + begins.replace("/", "/testdata/").replace(/:(.*)/, ", $1");
  const sourceOf = (begins) => {
    const [slug, file] = begins.includes("/") ? begins.split("/") : ["play", begins + ".scene"];
    return { slug, file };
  };
  const tell = (text, ...buttons) => {
    above.classList.remove("holds");
    above.replaceChildren(text, ...buttons.flatMap((one) => [" ", one]));
    above.hidden = !text;
  };

  // address is where the run stands: it is kept there after each line.
  const address = async () => location.href.replace(/#.*/, "") + "#" + await linked.pack(now);
  const keep = async () => {
    const what = now;
    try {
      const isFresh = !now.lines.length && now.begins === choice.options[0].value;
      const to = isFresh ? location.pathname + location.search : await address();
      if (now === what) history.replaceState({ origin }, "", to);
    } catch (problem) { // or the browser has had enough of these for now: the next line's is whole
      if (problem.refused) said("The address can’t hold this run any more: save it as a file.");
    }
  };

  const said = (what) => {
    share.textContent = what;
    share.hidden = !what;
  };
  const share = element("span", { hidden: true });
  share.setAttribute("role", "status");
  const copied = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
      said(what);
    } catch {
      said("The browser doesn’t let this page copy: the address above has all of it.");
    }
  };
  const saved = () => {
    const link = element("a", { href: URL.createObjectURL(new Blob([JSON.stringify(now)])), download: "reconcile-play.json" });
    link.click();
    URL.revokeObjectURL(link.href);
    said("saved: a file to open here");
  };
  const shareLink = async () => {
    const link = await address().catch(() => "");
    if (link && link.length <= 8192) return void copied(link, "copied: a link that plays the same for everybody");
    said(link ? `This link has ${Math.ceil(link.length / 1000)} kB, and many places cut a link of more than 8: send the file.` : "No link can hold this run: send the file.");
    share.append(" ", buttonOf("save the file", saved));
  };
  const text = () => now.answer || now.lines.join("\n");
  const asIssue = async () => copied(shared.issue({ title: titleOf(now.begins), text: text(), engine: now.engine, address: await address(), isPlayed: !stage.classList.contains("claimed") }), "copied: a text for an issue");
  const asCommands = async () => {
    const { slug, file } = sourceOf(now.begins);
    const { scenes, manifests } = await goOn.chapter(slug);
    const begun = lines.upTo(scenes[file.split(":")[0]], file.split(":")[1] ?? "").split("\n").filter(lines.isStep).map((line) => line.replace(/^\$ /, ""));
    await copied(shared.commands({ all: [...begun, ...now.lines], files: manifests, address: await address() }), "copied: a script for a cluster of your own");
  };
  const open = element("input", { type: "file", accept: ".json", hidden: true });
  open.onchange = async () => {
    try {
      const run = linked.file(await open.files[0].text());
      history.pushState(null, "", location.href);
      begin(run, `file ${open.files[0].name}`);
      void keep();
    } catch (problem) {
      tell(problem.message);
    }
    open.value = "";
  };
  foot.append(buttonOf("copy the link", () => void shareLink()), buttonOf("as an issue", () => void asIssue().catch((problem) => said(problem.message))),
    buttonOf("as a scene", () => void last?.copy()), buttonOf("as commands", () => void asCommands().catch((problem) => said(problem.message))),
    buttonOf("save as a file", saved), buttonOf("open a file", () => open.click()), open, share);

  // words are the buttons below the prompt: each is a line.
  const row = (title, ...buttons) => element("span", { className: "row" }, title, ...buttons);
  const oneOf = (ariaLabel, ...names) => element("select", { ariaLabel }, ...names.map((name) => element("option", { value: name, textContent: name })));
  const of = oneOf("which controller", "deployment", "replicaset", "statefulset", "daemonset", "endpointslice", "scheduler");
  const kind = oneOf("which kind", "pods", "deployments", "replicasets", "statefulsets", "daemonsets", "nodes", "services", "endpointslices", "persistentvolumeclaims");
  const words = (verbs, acts) => {
    last = acts;
    const button = (line, text = line) => buttonOf(text, () => void acts.goFurther(line));
    const ofOne = (verb, text) => buttonOf(text, () => void acts.goFurther(`${verb} ${of.value}`));
    const inOrder = new Intl.Collator("en", { numeric: true });
    const all = verbs.flatMap((same) => [...same].sort(inOrder.compare)), those = (which, text = (line) => line) => all.filter((line) => which.test(line)).map((line) => button(line, text(line)));
    return [
      row("time", button("advance 1m", "a minute"), button("advance 1h", "an hour"), button("advance until quiet", "until it's quiet")),
      row("nodes", ...those(/ node/)),
      row("all controllers", ...those(/^(crash( after a write)?|restart|pause|go-on|resync|drop watches)$/, (line) => line.replace("go-on", "go on").replace(/^(crash|restart|pause|go on)/, "$& all"))),
      row("one of them", of, ofOne("drop", "drop its next event"), ofOne("conflict", "refuse its next update"), ofOne("lose", "lose its next answer"), ofOne("pause", "pause it"), ofOne("step", "step it"), ofOne("go-on", "let it go on"), ofOne("crash", "crash it")),
      row("caches get events of", kind, ...[["ten seconds late", "10s"], ["a minute late", "1m"], ["on time", "0s"]].map(([text, by]) => buttonOf(text, () => void acts.goFurther(`late ${kind.value} ${by}`)))),
      ...(all.some((line) => / image /.test(line)) ? [row("images", ...those(/ image /))] : []),
      row("look", buttonOf("look inside", acts.look), ...those(/^stop$/), ...(now.lines.length ? [buttonOf("start over", () => anew(now.begins, origin))] : [])),
    ];
  };

  // upTo cuts what was printed after so many lines of the reader's.
  const upTo = (printed, count) => {
    const all = printed.split("\n");
    const steps = all.flatMap((line, i) => lines.isStep(line) ? [i] : []);
    return all.slice(0, steps[count] ?? all.length).join("\n").trimEnd();
  };
  // compared says whether a claim holds, and returns the lines that are otherwise.
  const compared = (after) => {
    const here = upTo(after, claim.lines.length);
    if (here === claim.answer.trimEnd()) {
      tell("Played here: it prints what the link claims.");
      above.classList.add("holds");
      return [];
    }
    const why = claim.engine && claim.engine !== version ? `The link is from engine ${claim.engine}, and this page has ${version}` : "The link claims another output than this engine has";
    tell(`${why}: what is printed otherwise here is marked.`, element("details", {}, element("summary", { textContent: "what the link claims" }), element("pre", {}, output(claim.answer))));
    return lines.fresh(claim.answer.trimEnd().split("\n"), here.split("\n"));
  };
  const played = (typed, after, { show, say, faults }) => {
    const added = typed.slice(now.lines.length);
    stage.classList.remove("claimed");
    const holds = claim && claim.lines.every((line, i) => typed[i] === line);
    if (claim && !holds) tell("");
    show(after, holds ? compared(after) : [], faults);
    say("");
    const before = now;
    now = { begins: now.begins, lines: typed, answer: after, engine: version };
    const answer = after.slice(after.lastIndexOf("\n$ ") + 1);
    ours.played(added.length ? added : before.lines, answer);
    void keep();
    return true;
  };

  let ours, origin; // the files, and by what the page came to them
  // begin shows a run: what it begins with, and what is claimed of its lines.
  const begin = ({ begins, lines: typed, answer = "", engine: by = "", question }, from = begins) => {
    const { slug, file } = sourceOf(begins);
    origin = from;
    now = { begins, lines: typed, answer, engine: answer ? by : version };
    claim = answer ? { lines: typed, answer, engine: by } : undefined;
    if (titles.has(begins)) choice.value = begins;
    const form = element("form", { className: "live" }, element("label", {}, "$ ", element("input", { ariaLabel: "What happens next?", placeholder: "kubectl get pods" })));
    const recorded = element("pre");
    const figure = element("figure", { className: "output scene", id: "play:" + (file.split(":")[1] ?? "") }, element("figcaption", { textContent: question ?? titleOf(begins) }), recorded, form);
    figure.dataset.scene = `${slug}/testdata/${file.split(":")[0]}`;
    stage.replaceChildren(figure);
    stage.classList.toggle("claimed", !!claim && !question);
    // What was begun here may end when something else has begun.
    const ifHere = (act) => (...all) => figure.isConnected ? act(...all) : [];
    prompt?.leave();
    prompt = goOn(form, { words: ifHere(words), played: ifHere(played), wrong: linked.wrong, files: (...all) => ours = playFiles(files, origin)(...all) });
    form.querySelector("input").addEventListener("paste", (event) => {
      const text = event.clipboardData.getData("text").trim();
      if (!text.includes("\n")) return;
      event.preventDefault();
      try {
        const pasted = lines.pasted(text), why = linked.wrong([...now.lines, ...pasted]);
        if (why) throw new Error(why);
        void prompt.goFurther(...pasted);
      } catch (problem) {
        prompt.say("What was pasted can't be played: " + problem.message);
      }
    });
    goOn.chapter(slug).then(({ scenes, manifests }) => {
      if (now.begins !== begins) return;
      const [name, part] = file.split(":");
      if (scenes[name] === undefined) return tell("This link can't be played: there is no such scene.");
      ours.have(manifests);
      recorded.replaceChildren(output(lines.upTo(scenes[name], part ?? "").split("\n").filter((line) => !line.startsWith("#")).join("\n").trim()));
      void prompt.offer();
    }, (problem) => tell(problem.message));
    const play = () => void prompt.goFurther();
    if (claim) tell(question ? "printed when the book was made" : "claimed by this link, not played here", buttonOf("play it here", play));
    else if (typed.length) tell("This link has lines without an answer.", buttonOf("play it here", play));
    else tell("");
    above.classList.toggle("holds", !!question);
    prompt.claim(typed, answer || typed.map((line) => line.startsWith("kubectl") ? "$ " + line : line).join("\n"));
    if (!typed.length) void keep();
  };
  // anew begins without lines; the browser's way back leads to those that there were.
  const anew = (begins, from) => {
    history.pushState({ origin: from }, "", location.href);
    begin({ begins, lines: [] }, from);
  };
  choice.onchange = () => anew(choice.value);

  // fromGallery begins with a question of the page's own.
  const fromGallery = async (name, from, ifStill) => {
    const { scenes } = await goOn.chapter("play");
    const [above, answer] = (scenes[name + ".scene"] ?? "").split("\n# part: what the reader typed\n");
    if (!answer) throw new Error("There is no such question here.");
    const steps = (text) => text.split("\n").filter(lines.isStep);
    const begins = [...titles.keys()].find((one) => steps(scenes[one + ".scene"]).join("\n") === steps(above).join("\n") && /# nodes: .*/.exec(scenes[one + ".scene"])[0] === /# nodes: .*/.exec(above)[0]);
    ifStill(() => begin({ begins, lines: steps(answer).map((line) => line.replace(/^\$ /, "")), answer: answer.trimEnd(), engine: version, question: /^# (.*)/.exec(above)[1] }, from));
  };
  // fromAddress begins as the address says.
  const fromAddress = async () => {
    const end = decoded(location.hash.slice(1)); // of a place on the page, too
    const from = history.state?.origin ?? (end || undefined), at = location.href;
    const ifStill = (begin) => { if (location.href === at) begin(); };
    try {
      if (!end || document.getElementById(end)) now ?? begin({ begins: choice.value, lines: [] });
      else if (linked.isOne(end)) await linked.unpack(end).then((run) => ifStill(() => begin(run, from)));
      else if (end.startsWith("from:")) begin(linked.checked({ begins: end.slice(5), lines: [] }), from);
      else await fromGallery(end, from, ifStill);
    } catch (problem) {
      ifStill(() => {
        begin({ begins: choice.value, lines: [] });
        tell(problem.message);
      });
    }
  };
  addEventListener("hashchange", () => void fromAddress());
  void fromAddress();
};
playPage(document.getElementById("play"));
