// Go's compiler and linker, lab, and what these make, in a worker.
importScripts("live-files.js", "live-go.js", "live-fetch.js", "write-programs.js");

globalThis.began = (program) => postMessage({ began: program });
let files;

const work = {
  isKept: async ({ name }) => !!await engineKept(name),
  // begin fetches what an exercise needs.
  async begin({ root, index, isBrotli, number }) {
    const { folder } = index.exercises[number];
    const all = [...Object.values(index.programs), ...index.units[folder].map((name) => index.packs[name])];
    const whole = all.reduce((sum, { raw }) => sum + raw, 0);
    let before = 0;
    const fetched = async (part) => {
      const { response, keeping } = await unpacked({ ...part, isBrotli, name: root + part.name }, (came) => postMessage({ came: (before + came * part.raw) / whole }));
      before += part.raw;
      return { response, keeping };
    };
    const json = await fetch(`${root}write-${folder.split("/")[1]}.json`);
    const chapter = await json.json();
    files = chapter.files;
    for (const [name, part] of Object.entries(index.programs)) {
      const { response, keeping } = await fetched(part);
      modules[name] = await WebAssembly.compileStreaming(response);
      await keeping;
    }
    for (const name of index.units[folder]) {
      const { response, keeping } = await fetched(index.packs[name]);
      lay.pack(index.pieces[name], new Uint8Array(await response.arrayBuffer()));
      await keeping;
    }
    lay.unit(folder, chapter.units[folder]);
  },
  // command runs a command of lab in the book with the files that are not as the book has
  // them, and returns what it says, with these files and those that were asked for.
  async command({ argv, remembered, wanted }) {
    lay.book(files, remembered);
    const said = await lab(...argv);
    const texts = Object.fromEntries(wanted.map((name) => [name, new TextDecoder().decode(take("/book/" + name))]));
    return { ...said, texts, remembered: lay.kept(files) };
  },
};

onmessage = async ({ data }) => {
  try {
    postMessage({ done: await work[data.task](data) });
  } catch (problem) {
    postMessage({ failed: String(problem) });
  }
};
