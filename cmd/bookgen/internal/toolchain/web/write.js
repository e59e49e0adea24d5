// An exercise that is written and judged in its page.
const writeIn = async (box, number) => {
  const root = new URL(document.body.dataset.root + "assets/", location.href).href;
  const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });
  const status = element("p", { role: "status" });
  status.setAttribute("role", "status");
  const say = (...what) => { status.className = ""; status.replaceChildren(...what); };
  const wrong = (text) => { say(text); status.className = "wrong"; };
  box.replaceChildren(status);

  // What was written is kept in the browser, by chapter.
  const shelf = (() => {
    const opened = new Promise((resolve, reject) => {
      const asked = indexedDB.open("reconcile-exercises", 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore("chapters");
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
    const does = async (mode, act) => {
      const store = (await opened).transaction("chapters", mode).objectStore("chapters");
      const asked = act(store);
      return await new Promise((resolve, reject) => { asked.onsuccess = () => resolve(asked.result); asked.onerror = () => reject(asked.error); });
    };
    return {
      get: (chapter) => does("readonly", (store) => store.get(chapter)).catch(() => undefined),
      put: (chapter, files) => does("readwrite", (store) => store.put(files, chapter)).catch(() => { }),
    };
  })();

  const index = await fetch(root + "write.json").then((response) => response.json()).catch(() => undefined);
  if (!index) return wrong("The compiler is not here: it does not come from where this page is from. Is there a network?");
  if (!globalThis.WebAssembly || !globalThis.DecompressionStream) return wrong("Nothing can be compiled in this page: the browser can't unpack or run what would be fetched. One of 2023 or later can.");
  const { folder, files } = index.exercises[number];
  const chapter = folder.split("/")[1];
  const remembered = await shelf.get(chapter) ?? {};

  // A worker that has fetched everything; it may be ended, and made anew.
  const head = await fetch(root + index.programs.compile.name + ".br", { method: "HEAD" }).catch(() => undefined);
  const isBrotli = head?.headers.get("Content-Encoding") === "br";
  let worker, given, alarm;
  const endless = 300; // seconds that tests may run
  const steps = { compile: "Go compiles your code …", link: "Go links the tests …", test: "The tests run …" };
  const end = (why) => {
    clearTimeout(alarm);
    worker?.terminate();
    worker = undefined;
    given?.reject(new Error(why));
  };
  addEventListener("pagehide", () => end("the page was left"));
  const asked = (message) => new Promise((resolve, reject) => {
    given = { reject };
    worker.onerror = (event) => end(event.message ?? "a script is not here");
    worker.onmessage = ({ data }) => {
      if (data.came !== undefined) return say("Fetching … ", element("progress", { value: data.came, max: 1 }));
      clearTimeout(alarm);
      if (data.began) {
        say(steps[data.began] ?? "");
        if (data.began === "test") alarm = setTimeout(() => end(`the tests do not come to an end: they were given up after ${endless} s, in the book's code`), endless * 1000);
      } else if (data.failed) end(data.failed);
      else resolve(data.done);
    };
    worker.postMessage(message);
  });
  const ready = async () => {
    if (worker) return;
    worker = new Worker(root + "write-worker.js");
    await asked({ task: "begin", root, index, isBrotli, number, remembered });
    say("");
  };

  const parts = [...Object.values(index.programs), ...index.units[folder].map((name) => index.packs[name])];
  const megabytes = Math.ceil(parts.reduce((sum, part) => sum + (isBrotli ? part.brotli : part.gzip), 0) / 1e6);
  if (!await globalThis.caches?.match(root + index.programs.compile.name).catch(() => undefined)) {
    await new Promise((resolve) => say(`Go's own compiler can run in this page: ${megabytes} MB, fetched once, and about 1 GB of memory while it works. `, button("fetch it", resolve)));
  }

  // The page: an editor, buttons, and what lab says.
  let code, shown = files[0];
  const texts = {};
  const output = element("pre", { hidden: true, tabIndex: 0 });
  const tools = element("p", { className: "words" });
  const busy = (is) => tools.querySelectorAll("button").forEach((one) => { one.disabled = is; });
  const save = () => {
    if (code) texts[shown] = code.text();
    Object.assign(remembered, texts);
    return shelf.put(chapter, remembered);
  };
  const commanded = async (...argv) => {
    await save();
    busy(true);
    try {
      await ready();
      say("…");
      const said = await asked({ task: "command", argv, changes: texts, wanted: files });
      say("");
      for (const name in remembered) delete remembered[name];
      Object.assign(remembered, said.remembered);
      Object.assign(texts, said.texts);
      await shelf.put(chapter, remembered);
      return said;
    } finally {
      busy(false);
    }
  };
  // What a command says has other commands in it: those of this exercise can be pressed.
  const told = (text) => text.split(/(go run \.\/cmd\/lab exercise (?:hint|solution|test|reset|start) \w+(?: --\w+)*)/).map((piece, i) => {
    const [verb, of, ...flags] = i % 2 ? piece.split(" ").slice(4) : [];
    return of === number ? button(piece, () => does(verb, ...flags)) : piece;
  });
  const compiler = /^\s*(chapters\/\S+\.go):(\d+):(?:\d+:)? (.*)$/gm;
  const does = async (verb, ...flags) => {
    try {
      const said = await commanded(verb, number, ...flags);
      output.hidden = false;
      output.replaceChildren(...told(said.printed));
      if (texts[shown] !== code.text()) code.open(shown, texts[shown]);
      code.mark([...said.printed.matchAll(compiler)].filter(([, file]) => file === shown).map(([, , line, message]) => ({ line: Number(line), message })));
    } catch (problem) {
      wrong(`It has ended: ${problem.message}`);
    }
  };
  const choose = (name) => {
    texts[shown] = code.text();
    code.open(shown = name, texts[name]);
  };
  try {
    await commanded("start", number);
  } catch (problem) {
    return wrong(`It has ended: ${problem.message}`);
  }
  let saving;
  code = codeEditor({
    label: shown, language: "go", text: texts[shown], run: () => does("test"),
    changed: () => { clearTimeout(saving); saving = setTimeout(save, 500); },
  });
  tools.append(button("Test", () => does("test")), button("Hint", () => does("hint")),
    button("Show the answer", () => does("solution")), button("Put it back", () => does("reset").then(() => does("start"))),
    ...files.length > 1 ? files.map((name) => button(name.split("/").pop(), () => choose(name))) : []);
  const name = element("p", { textContent: `${shown} · ctrl-Enter tests; Escape, then Tab, leaves the editor` });
  box.replaceChildren(name, code.box, tools, status, output);
};
