// Transcripts go on: the reader's lines are appended to the scene, and all of it is
// played again by the book's engine, in a worker. Runs are the same each time, so
// that no state is kept.
const goOn = (() => {
  const root = new URL(document.body.dataset.root + "assets/", location.href).href;
  const part = "what the reader typed";
  const verbs = ["advance 30s", "add node", "cut node-1", "stop node-1", "start node-1", "drop watches", "crash", "restart", "fail image nginx:1.27", "stop"];

  // One worker plays for the whole page. The module outlives it.
  let worker, module, allowed, ending;
  const end = () => {
    worker?.terminate();
    worker = undefined;
    ending?.(new Error("stopped"));
  };
  addEventListener("pagehide", end);
  const play = (request, told) => new Promise((resolve, reject) => {
    ending = reject;
    if (!worker) {
      worker = new Worker(root + "live-worker.js");
      worker.onerror = () => { end(); };
    }
    worker.onmessage = ({ data }) => {
      if (data.module) module = data.module;
      else if (data.came) told(data.came);
      else if (data.ended !== undefined) {
        worker = undefined;
        reject(new Error("the engine has ended: " + data.ended));
      } else resolve(data);
    };
    worker.postMessage({ engine: { ...engine, name: root + engine.name }, module, ...request });
  });

  const chapters = {};
  const chapter = (slug) => chapters[slug] ??= fetch(`${root}live-${slug}.json`).then((response) => {
    if (!response.ok) throw new Error("the engine is not here");
    return response.json();
  });

  // A scene, up to the end of what its transcript shows.
  const upTo = (text, name) => {
    if (!name) return text;
    const lines = text.split("\n");
    const begins = lines.indexOf("# part: " + name);
    const ends = lines.findIndex((line, i) => i > begins && line.startsWith("# part: "));
    return lines.slice(0, ends < 0 ? lines.length : ends).join("\n").trimEnd() + "\n";
  };

  const isVerb = (line) => verbs.some((verb) => verb.split(" ")[0] === line.split(" ")[0]) || /^(heal|edit) /.test(line);

  // The output, as the pages print theirs.
  const shown = (text) => {
    const samp = element("samp");
    const begins = (line) => line === undefined || line.startsWith("$ ") || isVerb(line);
    const lines = text.split("\n");
    for (const [i, line] of lines.entries()) {
      if (!line && begins(lines[i + 1])) continue;
      if (/^(\d*\| )?\[exit \d+\]$/.test(line)) continue; // the output says why
      const job = /^\d*\|( |$)/.exec(line);
      if (line.startsWith("$ ")) samp.append(element("span", { className: "typed" }, "$ ", element("kbd", { textContent: line.slice(2) }), "\n"));
      else if (job) samp.append(element("span", { className: "job", textContent: line.slice(job[0].length) + "\n" }));
      else if (isVerb(line)) samp.append(element("span", { className: "meanwhile", textContent: (line === "stop" ? "ctrl-C" : line) + "\n" }));
      else samp.append(element("span", { className: "l", textContent: line.replace(/^\\/, "") + "\n" }));
    }
    return samp;
  };

  const megabytes = (bytes) => Math.ceil(bytes / 1e6) + " MB";
  const opened = new Map();

  const open = (form) => {
    const figure = form.closest("figure");
    const source = new URL(figure.querySelector("figcaption a").href).pathname.split("/testdata/");
    const slug = source[0].split("/").pop(), file = source[1].replace(/\.html$/, "");
    const name = figure.id.split(":")[1] ?? "";
    const input = form.querySelector("input");
    let lines = [], typed = [], at = 0, busy = false;

    const pre = element("pre", { hidden: true });
    pre.setAttribute("role", "log");
    const says = element("p", { hidden: true });
    says.setAttribute("role", "status");
    const button = (text, act) => element("button", { type: "button", textContent: text, onclick: act });
    const say = (text, ...buttons) => {
      says.className = "";
      says.replaceChildren(text, ...buttons.flatMap((one) => [" ", one]));
      says.hidden = !text;
    };
    const wrong = (problem) => {
      say(String(problem.message ?? problem).replaceAll(file + ":", "line "));
      says.className = "wrong";
    };

    const words = element("p", { className: "words", hidden: true }, ...verbs.map((verb) => button(verb, () => {
      input.value = verb;
      input.focus();
    })));
    words.append(
      button("start over", () => { lines = []; show(""); say(""); input.focus(); }),
      button("copy as a scene", async () => { await navigator.clipboard.writeText(await scene(lines)); say("copied"); }),
      button("link to this", () => {
        history.replaceState(null, "", "#" + [figure.id, ...lines].map(encodeURIComponent).join("~"));
        say("the address leads here now");
      }));
    form.prepend(pre);
    form.append(says, words);

    const show = (text) => {
      pre.hidden = !text;
      pre.replaceChildren(shown(text));
    };
    const written = (line) => line.startsWith("kubectl") ? "$ " + line : line;
    const scene = async (more) => {
      const before = upTo((await chapter(slug)).scenes[file], name);
      return before + `\n# part: ${part}\n` + more.map(written).join("\n") + "\n";
    };

    // played plays the lines, and returns what they print.
    const played = async (more) => {
      const { manifests } = await chapter(slug);
      const result = await play({ chapter: slug, manifests, scene: await scene(more), file }, (came) => {
        say(came < 1 ? `fetching: ${Math.floor(100 * came)} of 100` : "starting", button("cancel", end));
      });
      if (result.wrong) throw new Error(result.wrong);
      const [before, after] = result.played.split(`\n# part: ${part}\n`);
      const recorded = upTo((await chapter(slug)).scenes[file], name).trimEnd();
      return { text: after.trimEnd(), same: before.trimEnd() === recorded };
    };

    const run = async (more) => {
      if (busy) return;
      busy = true;
      say("playing", button("ctrl-C", end));
      try {
        let result;
        try {
          result = await played(more);
        } catch (problem) {
          const last = more.at(-1);
          if (!/ has not ended after /.test(problem.message) || !last.startsWith("kubectl")) throw problem;
          more = [...more.slice(0, -1), last + " &", "stop"]; // it runs for ever: ctrl-C
          result = await played(more);
        }
        lines = more;
        show(result.text);
        words.hidden = false;
        say(result.same ? "" : "what is recorded above came out otherwise");
        input.value = "";
      } catch (problem) {
        wrong(problem);
      } finally {
        busy = false;
        input.focus();
      }
    };

    // Once, before anything is fetched.
    const allow = async (more) => {
      const kept = allowed || module || await globalThis.caches?.match(root + engine.name + ".gz");
      if (kept) return run(more);
      const yes = button("fetch it", () => { allowed = true; run(more); });
      say(`The book's control plane, with kubectl, can run in this page: ${megabytes(engine.gzip)}, fetched once.`,
        yes, button("not now", () => { say(""); input.focus(); }));
      yes.focus();
    };

    form.onsubmit = (event) => {
      event.preventDefault();
      const line = input.value.trim().replace(/^\$ /, "");
      if (!line) return;
      if (!line.startsWith("kubectl ") && !isVerb(line)) {
        wrong("a line is kubectl with its arguments, or what happens: " + verbs.join(", ") + ", heal image …, edit FILE s/old/new/");
        return;
      }
      typed.push(line);
      at = typed.length;
      void allow([...lines, line]);
    };
    input.onkeydown = (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (step && typed.length) {
        event.preventDefault();
        at = Math.max(0, Math.min(typed.length, at + step));
        input.value = typed[at] ?? "";
      } else if (event.key === "c" && event.ctrlKey && busy) end();
    };
    return { begin: (more) => { void allow(more); } };
  };
  return (form) => {
    if (!opened.has(form)) opened.set(form, open(form));
    return opened.get(form);
  };
})();

// fromLink goes on where a link says: a transcript, and what was typed below it.
const fromLink = () => {
  const [id, ...lines] = location.hash.slice(1).split("~").map(decodeURIComponent);
  const figure = document.getElementById(id);
  const form = figure?.querySelector(".live");
  if (!form || !lines.length) return;
  figure.scrollIntoView();
  goOn(form).begin(lines);
};
