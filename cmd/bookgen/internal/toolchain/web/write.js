// An exercise that is written and judged in its page.
const writeIn = async (box, number) => {
  const root = new URL(document.body.dataset.root + "assets/", location.href).href;
  const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });
  const status = element("p", { role: "status" });
  status.setAttribute("role", "status");
  const say = (...what) => { status.className = ""; status.replaceChildren(...what); };
  const wrong = (text) => { say(text); status.className = "wrong"; };
  box.replaceChildren(status);

  // What has to be said of a text stands below the editor until it is kept.
  const notice = element("p", { className: "notice" });
  notice.setAttribute("role", "status");
  box.append(notice);

  const index = await fetch(root + "write.json").then((response) => response.json()).catch(() => undefined);
  if (!index) return wrong("The compiler is not here: it does not come from where this page is from. Is there a network?");
  if (!globalThis.WebAssembly || !globalThis.DecompressionStream) return wrong("Nothing can be compiled in this page: the browser can't unpack or run what would be fetched. One of 2023 or later can.");
  const { folder, files, functions } = index.exercises[number];

  // A worker that has fetched everything; it may be ended, and made anew.
  const head = await fetch(root + index.programs.compile.name + ".br", { method: "HEAD" }).catch(() => undefined);
  const isBrotli = head?.headers.get("Content-Encoding") === "br";
  let worker, given, alarm, resting, isReady = false;
  const endless = 300; // seconds that tests may run
  const idle = 120; // seconds after which a worker gives half a gigabyte back, to be made anew
  const steps = { compile: "Go compiles your code …", link: "Go links the tests …", test: "The tests run …" };
  const end = (why) => {
    clearTimeout(alarm);
    worker?.terminate();
    worker = undefined;
    isReady = false;
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
  const newWorker = () => new Worker(root + "write-worker.js");
  const ready = async () => {
    if (isReady) return;
    worker ??= newWorker();
    await asked({ task: "begin", root, index, isBrotli, number });
    isReady = true;
    say("");
  };

  const parts = [...Object.values(index.programs), ...index.units[folder].map((name) => index.packs[name])];
  const megabytes = Math.ceil(parts.reduce((sum, part) => sum + (isBrotli ? part.brotli : part.gzip), 0) / 1e6);
  worker = newWorker();
  if (!await asked({ task: "isKept", name: root + index.programs.compile.name }).catch(() => false)) {
    await new Promise((resolve) => say(`Go's own compiler can run in this page: ${megabytes} MB, fetched once, and 1 to 2 GB of memory while it works. `, button("fetch it", resolve)));
  }

  // The page: an editor, buttons, and what lab says.
  let code, shown = files[0], typed = false, isBusy = false;
  const remembered = {}, texts = {}; // all that is not as the book has it, and the files of the exercise
  const shelf = shelfOf(folder.split("/")[1], () => { if (code && !typed && !isBusy) void take(); });
  const output = element("pre", { hidden: true, tabIndex: 0 });
  const tools = element("p", { className: "words" });
  const busy = (is) => {
    isBusy = is;
    tools.querySelectorAll("button").forEach((one) => { one.disabled = is; });
  };
  const remember = (others) => {
    for (const name in remembered) delete remembered[name];
    Object.assign(remembered, others);
    for (const name of files) if (name in remembered) texts[name] = remembered[name];
  };
  const save = async () => {
    if (code) texts[shown] = code.text();
    Object.assign(remembered, texts);
    const unkept = typed;
    typed = false; // what is typed meanwhile is kept next
    try {
      if (await shelf.write(remembered)) return;
      typed = true;
      notice.replaceChildren("Another tab has this chapter open, and has kept something else: ", button("take what it has", take), " or ", button("keep what is here", keepMine), ".");
    } catch {
      typed ||= unkept;
      notice.replaceChildren(notKept);
    }
  };
  addEventListener("beforeunload", (event) => { if (typed) event.preventDefault(); });
  // keepMine writes over what another tab has kept of this exercise, and of no other.
  const keepMine = async () => {
    const mine = { ...texts, [shown]: code.text() };
    remember(await shelf.read());
    Object.assign(texts, mine);
    notice.replaceChildren();
    await save();
  };
  // take takes what another tab has kept. Undoing it in the editor brings back what was here.
  const take = async () => {
    if (isBusy) return;
    const before = code.text();
    remember(await shelf.read());
    code.replace(texts[shown]);
    typed = false;
    notice.replaceChildren(before === texts[shown] ? "" : "This is what another tab has written.");
  };
  const commanded = async (...argv) => {
    clearTimeout(resting);
    await save();
    busy(true);
    const before = texts[shown];
    try {
      await ready();
      say("…");
      const said = await asked({ task: "command", argv, remembered, wanted: files });
      say("");
      Object.assign(texts, said.texts);
      remember(said.remembered);
      if (texts[shown] !== before) code?.replace(texts[shown]); // or what was typed meanwhile stays
      await save();
      return said;
    } finally {
      busy(false);
      resting = setTimeout(end, idle * 1000, "nobody needed it");
    }
  };
  const compiler = /^\s*(chapters\/\S+\.go):(\d+):(?:\d+:)? (.*)$/gm;
  const shows = async (...argv) => {
    try {
      const { printed } = await commanded(...argv);
      if (printed) output.replaceChildren(...pressable(printed, number, does));
      output.hidden = !output.textContent;
      code.mark([...printed.matchAll(compiler)].filter(([, file]) => file === shown).map(([, , line, message]) => ({ line: Number(line), message })));
    } catch (problem) {
      wrong(`It has ended: ${problem.message}`);
    }
  };
  const does = (verb, ...flags) => shows("exercise", verb, number, ...flags).then(board.tell);
  const name = element("p"), stub = `// Exercise ${number}, `; // what stands where there is something to write
  const choose = (file) => {
    if (code) texts[shown] = code.text();
    shown = file;
    code?.open(shown, texts[shown]);
    code?.seek(stub);
    name.textContent = `${shown} · ctrl-Enter tests; Escape, then Tab, leaves the editor`;
  };
  choose(shown);

  // A file leaves and comes as lab has it.
  const packageOf = (text) => /^package (\w+)/m.exec(text)?.[1];
  const declared = (name, text) => {
    const [func, type] = name.split(".").reverse();
    return new RegExp(`^func ${type ? `\\(\\w* ?\\*?${type}\\b[^)]*\\) ?` : ""}${func}\\b`, "m").test(text);
  };
  const fromDisk = (file, text) => {
    const fits = files.find((one) => packageOf(text) === packageOf(texts[one]) && functions[one].every((func) => declared(func, text)));
    if (!fits) return notice.replaceChildren(`${file} is not loaded: it is not ${files.join(" or ")} of exercise ${number}.`);
    if (fits !== shown) choose(fits);
    code.replace(text);
  };
  const board = boardForm();
  try {
    remember(await shelf.read().catch(() => { notice.textContent = notKept; }));
    await commanded("exercise", "start", number);
  } catch (problem) {
    return wrong(`It has ended: ${problem.message}`);
  }
  code = codeEditor({
    label: shown, language: "go", text: texts[shown], run: () => does("test"),
    changed: () => {
      if (code.text() === texts[shown]) return;
      typed = true;
      notice.replaceChildren();
      void save();
    },
  });
  tools.append(button("Test", () => does("test")), button("gofmt", () => shows("format", shown)), button("Hint", () => does("hint")),
    button("Show the answer", () => does("solution")), button("Put it back", () => does("reset").then(() => does("start"))),
    ...onDisk(".go", () => [shown.split("/").pop(), code.text()], fromDisk), ...files.length > 1 ? files.map((file) => button(file.split("/").pop(), () => choose(file))) : []);
  box.replaceChildren(name, code.box, tools, notice, status, output, board.box);
  code.seek(stub);
  if (document.activeElement === document.body) code.focus(); // or its reader has gone on meanwhile
};
