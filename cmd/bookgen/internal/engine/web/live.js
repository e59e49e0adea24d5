// Transcripts go on: the reader's lines are appended to the scene, and all of it is
// played again. Runs are the same each time, so that no state is kept.
const goOn = (() => {
  const opened = new Map();
  let player; // one for the whole page

  // own is what a page of its own does otherwise: its files, its buttons, and what it makes
  // of what was played.
  const open = (form, own = {}) => {
    const figure = form.closest("figure");
    const source = (figure.dataset.scene ?? new URL(figure.querySelector("figcaption a").href).pathname).split("/testdata/");
    const slug = source[0].split("/").pop(), file = source[1].replace(/\.html$/, "");
    const name = figure.id.split(":")[1] ?? "";
    const input = form.querySelector("input");
    let typed = [], busy = false, leaving = false, at, draft = "";

    const pre = element("pre", { hidden: true });
    pre.setAttribute("role", "log");
    const says = element("p", { hidden: true });
    says.setAttribute("role", "status");
    const say = (text, ...others) => {
      says.className = "";
      says.replaceChildren(text, ...others.flatMap((one) => [" ", one]));
      says.hidden = !text;
    };
    const wrong = (problem) => {
      if (problem.stopped) return say("stopped; what stands above is as before");
      say(problem.message ?? problem);
      says.className = "wrong";
    };
    const words = element("p", { className: "words" });
    const help = element("p", { id: figure.id + " help", textContent: "Tab completes; Escape, then Tab, leaves. ↑ is the line before. Ctrl-C ends what runs. With & at its end, kubectl -w goes on until you type stop." });
    Object.assign(input, { spellcheck: false, autocomplete: "off", autocapitalize: "off" });
    input.setAttribute("aria-describedby", help.id);
    const text = editor(() => input.focus());
    const goFurther = (...added) => allow(() => run([...typed, ...added]));
    const files = own.files?.(goFurther, () => typed) ?? manifests(text, () => { void allow(() => run(typed)); });
    const { recorded, scene, told, play, played, warm, looks } = replayOf({ slug, file, name }, { player, files, say });
    const more = element("div", { hidden: true }, words, files.box, text.box, help);
    form.prepend(pre);
    form.append(says, more);

    const trying = (act) => async () => {
      try {
        await act();
      } catch (problem) {
        wrong(problem);
      }
    };
    const copy = trying(async () => {
      await navigator.clipboard.writeText(await scene(typed));
      say("copied: a file for testdata, NAME.scene");
    });
    const link = () => {
      const parts = [figure.id, ...files.changes(), ...(files.changes().length ? [""] : []), ...typed];
      history.replaceState(null, "", "#" + parts.map((part) => encodeURIComponent(part).replaceAll("~", "%7E")).join("~"));
      say("the address leads here now");
    };
    const clear = () => {
      show("");
      say("");
      input.focus();
    };
    const startOver = () => {
      typed = [];
      files.take([]);
      void offer();
      clear();
    };
    const openFiles = trying(async () => {
      await recorded();
      files.toggle();
    });
    // offer shows what can be done here.
    const possible = async () => lines.possible(await scene(typed), files.texts());
    const offer = async () => {
      const verbs = await possible().catch(() => []);
      if (own.words) words.replaceChildren(...own.words(verbs, { goFurther, copy, look: () => allow(look) }));
      else words.replaceChildren(
        ...verbs.flatMap((same) => same.slice(0, 1)).map((verb) => buttonOf(verb, () => {
          input.value = verb;
          input.focus();
        })),
        buttonOf("look inside", () => { void allow(look); }),
        buttonOf(files.names().length ? `files, ${files.names().length} changed` : "files", openFiles),
        ...(typed.length || files.names().length ? [buttonOf("start over", startOver), buttonOf("copy as a scene", copy), buttonOf("link to this", link)] : []));
      more.hidden = false;
    };

    const show = (text, ...about) => {
      pre.hidden = !text;
      pre.replaceChildren(output(text, ...about));
    };
    const run = async (added) => {
      if (busy) return say("playing: wait for its end, or end it", buttonOf("ctrl-C", player.end));
      const why = own.wrong?.(added);
      if (why) return wrong("This can't be played: " + why);
      busy = true;
      say("playing", buttonOf("ctrl-C", player.end));
      input.focus();
      try {
        let result;
        try {
          result = await played(added);
        } catch (problem) {
          const last = added.at(-1) ?? "";
          if (!/ has not ended after /.test(problem.message) || !/^kubectl (?!delete )/.test(last)) throw problem; // a delete doesn't hear ctrl-C
          added = [...added.slice(0, -1), last + " &", "stop"]; // it runs for ever: ctrl-C
          result = await played(added);
        }
        if (added.length > typed.length) input.value = "";
        typed = added;
        const { after, otherwise, marked, faults } = result;
        const comments = otherwise.findIndex(lines.isStep);
        show([...otherwise.slice(comments), after].join("\n").trim(), marked.map((i) => i - comments), [...otherwise.filter(lines.isStep).map(() => []), ...faults]);
        if (own.played?.(typed, after, { show, say, faults })) return;
        const because = files.names().length ? `With ${files.names().join(" and ")} changed, ` : "";
        if (marked.length) say(because + "what is recorded above comes out otherwise. It stands here again, and what is new in it is marked.");
        else if (otherwise.length) say(because + "what is recorded above comes out otherwise: some of its lines are missing here.");
        else say(because && because + "what is recorded above comes out the same.");
      } catch (problem) {
        wrong(problem);
      } finally {
        busy = false;
        at = undefined;
        void offer();
        if (form.contains(document.activeElement) || document.activeElement === document.body) input.focus();
      }
    };

    // look opens the views of what stands here.
    const look = async () => {
      if (busy) return;
      busy = true;
      say("playing", buttonOf("cancel", player.end));
      try {
        await lookInto(figure.querySelector("figcaption a, figcaption").textContent, await looks(typed), () => input.focus());
        say("");
      } catch (problem) {
        wrong(problem);
      } finally {
        busy = false;
      }
    };

    // Once, before anything is fetched.
    const allow = async (then) => {
      try {
        const yes = await player.allow("The book's control plane, with kubectl,", say, then, () => input.focus());
        yes?.focus();
      } catch (problem) {
        wrong(problem);
      }
    };

    const known = new Map(); // what kubectl says of a line
    const complete = async () => {
      const line = input.value.slice(0, input.selectionStart), rest = input.value.slice(input.selectionStart);
      const asked = () => input.value === line + rest;
      const ask = async (question) => {
        const text = await scene([...typed, question]);
        if (!known.has(text)) {
          await new Promise((resolve) => { void allow(resolve); });
          input.focus();
          if (!busy) say("looking", buttonOf("cancel", player.end));
          known.set(text, (await play(text)).split("\n" + question + "\n").pop());
        }
        return known.get(text);
      };
      try {
        const written = [...(await scene(typed)).matchAll(/ > (\S+)/g)].map(([, name]) => name);
        const names = [...Object.keys(files.texts()).map((name) => "manifests/" + name), ...written].sort();
        const { last, found } = await completion.of(line, { possible: (await possible()).flat(), files: names, ask });
        if (busy || !asked()) return;
        leaving = !found.length;
        if (leaving) return say("nothing completes this; Tab leaves");
        const common = completion.shared(found);
        const whole = found.length === 1 && !/[/=]$/.test(common) ? common + " " : common;
        input.setRangeText(whole, line.length - last.length, line.length, "end");
        say(found.length === 1 ? "" : found.join("  "));
      } catch (problem) {
        if (!busy) wrong(problem);
      }
    };

    // edit does what kubectl edit does: it opens an object, and sends what was changed
    // in it, as the patch that kubectl would send.
    const edit = async (object) => {
      busy = true;
      say("looking", buttonOf("cancel", player.end));
      const question = `$ kubectl get ${object} -o yaml`;
      const isExit = (line) => /^\[exit \d+\]$/.test(line);
      try {
        const answer = (await play(await scene([...typed, question]))).split("\n" + question + "\n").pop().trimEnd();
        const printed = lines.printed(answer);
        if (printed.some(isExit)) throw new Error(printed.filter((line) => !isExit(line)).join("\n"));
        if (printed.includes("kind: List")) throw new Error("here kubectl edit opens one object: name it");
        say("");
        more.hidden = false;
        const before = printed.join("\n") + "\n";
        text.open(`kubectl edit ${object}`, before, {
          save: async (now) => {
            if (now === before) return void say("Edit cancelled, no changes made.");
            const { patch, wrong } = await player.play({ edit: [before, now] }, told());
            if (wrong) return wrong;
            void run([...typed, `kubectl patch ${object} -p '${patch.replaceAll("'", "\\u0027")}'`]);
          },
        });
      } catch (problem) {
        wrong(problem);
      } finally {
        busy = false;
      }
    };

    form.onsubmit = async (event) => {
      event.preventDefault();
      const line = input.value.trim().replace(/^\$ /, "").replace(/^kubectl$/, "kubectl help");
      if (!line || busy) return;
      const [, object] = /^kubectl edit (?=[^&<>]+$)(.+)/.exec(line) ?? [];
      const [, file] = /^edit (\S+)$/.exec(line) ?? [];
      if (file) return trying(async () => {
        await recorded();
        if (!files.open(file)) throw new Error(`edit ${file}: there is no such file; there are: ${Object.keys(files.texts()).map((name) => "manifests/" + name).join(", ")}`);
      })();
      if (!line.startsWith("kubectl ") && !lines.isVerb(line)) {
        wrong(`${line.split(" ")[0]}: command not found. Here a line is kubectl with its arguments, or what happens besides: ${lines.verbs.join(", ")}`);
        return;
      }
      typedBefore.add(line);
      void (object ? allow(() => edit(object)) : goFurther(line));
    };
    form.oninput = () => { if (more.hidden) void offer(); };
    const step = (by) => {
      const all = typedBefore.all();
      at ??= all.length;
      if (at === all.length) draft = input.value;
      at = Math.max(0, Math.min(all.length, at + by));
      input.value = all[at] ?? draft;
    };
    input.onkeydown = (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (by) {
        event.preventDefault();
        step(by);
      } else if (event.key === "c" && event.ctrlKey && busy) player.end();
      else if (event.key === "Tab" && !event.shiftKey && !busy && !leaving && input.value.trim()) {
        event.preventDefault();
        void complete();
      }
      if (event.key !== "Tab" && event.key !== "Shift") leaving = event.key === "Escape";
    };
    input.onblur = () => { leaving = false; };
    input.onfocus = () => void warm(typed);
    if (document.activeElement === input) input.onfocus();
    return {
      goFurther, say, offer,
      look: () => allow(look),
      leave() { if (busy) player.end(); },
      // claim shows what others say that lines print, and goes on from these.
      claim(lines, text) {
        typed = lines;
        show(text);
        void offer();
      },
      // begin shows the lines of a link: they are played when the reader says so.
      begin(edits, added) {
        const start = trying(async () => {
          await recorded();
          files.take(edits);
          await allow(() => run(added));
        });
        show([...edits, ...added.map((line) => line.startsWith("kubectl") ? "$ " + line : line)].join("\n"));
        say("The link to this page has lines to play.", buttonOf("play these lines", start), buttonOf("not now", clear));
      },
    };
  };
  const begin = (form, own) => {
    player ??= playerOf(engine);
    if (!opened.has(form)) opened.set(form, open(form, own));
    return opened.get(form);
  };
  return Object.assign(begin, { chapter: (slug) => (player ??= playerOf(engine)).chapter(slug) });
})();

// fromLink goes on where a link says: a transcript, what was changed for it, and what
// was typed below it.
const fromLink = () => {
  const [id, ...all] = location.hash.slice(1).split("~").map(decoded);
  const figure = document.getElementById(id);
  const form = figure?.querySelector(".live");
  if (!form || !all.length) return;
  figure.scrollIntoView();
  const changes = all.indexOf("");
  goOn(form).begin(all.slice(0, Math.max(0, changes)), all.slice(changes + 1));
};
