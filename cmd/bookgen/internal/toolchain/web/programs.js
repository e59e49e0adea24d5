// Programs of Go that run one within another over the same files: lab, what it has
// compiled and linked, and the tests.
const modules = {}; // compiled, by their names

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
  go._resume = () => { if (!go.exited) resume(); }; // a file may answer later
  try {
    await go.run(await WebAssembly.instantiate(module, go.importObject));
  } catch (problem) {
    globalThis.printed += problem;
    code = 2;
  }
  const { printed } = globalThis;
  globalThis.printed = outer.printed;
  process.chdir(outer.dir);
  return { printed, code };
};

// runProgram is how a program starts another one.
globalThis.runProgram = async (name, dir, env, argv, ended) => {
  globalThis.began?.(modules[name] ? name : "test");
  try {
    const module = modules[name] ?? await WebAssembly.compile(take(name));
    const variables = Object.fromEntries(env.map((pair) => pair.split(/=(.*)/s)));
    const { printed, code } = await run(module, dir, variables, [name, ...argv]);
    ended(printed, code);
  } catch (problem) {
    ended(String(problem), 2);
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
