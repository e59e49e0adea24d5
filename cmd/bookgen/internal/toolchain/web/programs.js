// Programs of Go that run one within another over the same files: lab, what it has
// compiled and linked, and the tests.
const modules = {}; // compiled, by their names

let running = 0; // programs that others have started

// waiting sets a program's clock on by a minute when it has waited for as long as lab
// waits: what holds up a test is told when its time is out.
const waiting = (go) => {
  const level = running;
  let ahead = 0n, idle = 0;
  const { gojs } = go.importObject;
  const clock = gojs["runtime.nanotime1"];
  gojs["runtime.nanotime1"] = (sp) => {
    clock(sp);
    const at = (sp >>> 0) + 8;
    go.mem.setBigInt64(at, go.mem.getBigInt64(at, true) + ahead, true);
  };
  const watch = setInterval(() => {
    if (running !== level || ++idle < 6) return;
    ahead = 60_000_000_000n;
    go._resume();
  }, 500);
  return { not: () => { idle = 0; }, end: () => clearInterval(watch) };
};

// run runs a program until it ends, and returns what it printed and its exit code.
const run = async (module, dir, env, argv) => {
  const outer = { printed: globalThis.printed, dir: process.cwd() };
  globalThis.printed = "";
  process.chdir(dir);
  const go = new Go();
  let code = 0;
  const exit = (number) => {
    code = number;
    go._scheduledTimeouts.forEach(clearTimeout);
    go._scheduledTimeouts.clear();
  };
  Object.assign(go, { argv, env, exit });
  const resume = go._resume.bind(go);
  const waits = waiting(go);
  go._resume = () => { if (!go.exited) { waits.not(); resume(); } }; // a file may answer later
  try {
    await go.run(await WebAssembly.instantiate(module, go.importObject));
  } catch (problem) {
    globalThis.printed += /call stack|recursion/.test(problem) ? "\nfatal error: stack overflow\n" : problem; // a browser's stack is a small one
    code = 2;
  }
  waits.end();
  const { printed } = globalThis;
  globalThis.printed = outer.printed;
  process.chdir(outer.dir);
  return { printed, code };
};

// runProgram is how a program starts another one.
globalThis.runProgram = async (name, dir, env, argv, ended) => {
  globalThis.began?.(modules[name] ? name : "test");
  running++;
  const ends = (...how) => { running--; ended(...how); };
  try {
    const module = modules[name] ?? await WebAssembly.compile(take(name));
    const variables = Object.fromEntries(env.map((pair) => pair.split(/=(.*)/s)));
    const { printed, code } = await run(module, dir, variables, [name, ...argv]);
    ends(printed, code);
  } catch (problem) {
    ends(String(problem), 2);
  }
};

// lab runs lab's commands about exercises.
const lab = (...argv) => run(modules.lab, "/book", { HOME: "/root", TMPDIR: "/tmp", PATH: "" }, ["lab", "exercise", ...argv]);

// lay puts what has been fetched into files.
const lay = {
  // A pack is compiled packages, one behind the other.
  pack(pieces, bytes) {
    let at = 0;
    for (const { Name, Size } of pieces) put("/toolchain/archives/" + Name, bytes.subarray(at, at += Size));
  },
  unit(folder, unit) { put(`/toolchain/${folder}/unit.json`, JSON.stringify(unit)); },
  // book puts a chapter as the book has it, and what lab remembers, into its folder.
  book(files, remembered = {}) {
    removeAll("/book");
    for (const folder of ["/root", "/tmp", "/book"]) put(folder + "/.keep", "");
    put("/dev/null", "");
    for (const [name, text] of Object.entries({ ...files, ...remembered })) put("/book/" + name, text);
  },
  // kept returns the files that are not as the book has them.
  kept: (files) => Object.fromEntries(tree("/book").map(([path, text]) => [path.slice("/book/".length), text])
    .filter(([name, text]) => files[name] !== text && !/^\.keep$|^\.reconcile\/(lock|tmp)/.test(name))),
};
