// The engine, in a worker: a scene may run for long, and the page goes on.
importScripts("live-files.js", "live-go.js", "live-fetch.js");

// What is played may not take more.
const mostMemory = 2 ** 30;

// compiled returns the module without its data, which is as much again, and the data if
// there is no room to keep it. The page runs it in another worker, since the bytes that
// came here, four times the module's, go only with the worker.
const compiled = async (engine) => {
  const { response, keeping } = await unpacked(engine);
  const parts = [];
  let at = 0;
  const code = response.body.pipeThrough(new TransformStream({
    transform(chunk, next) {
      const cut = Math.max(0, Math.min(chunk.length, engine.code - at));
      at += chunk.length;
      if (cut) next.enqueue(chunk.subarray(0, cut));
      if (keeping !== true && cut < chunk.length) parts.push(chunk.slice(cut));
    },
  }));
  const module = await WebAssembly.compileStreaming(asModule(code));
  return { module, data: await keeping ? undefined : new Blob(parts) };
};

// numberAt returns a number, as wasm writes it, and where it ends.
const numberAt = (bytes, at) => {
  let n = 0, shift = 0;
  do {
    n |= (bytes[at] & 127) << shift;
    shift += 7;
  } while (bytes[at++] > 127);
  return [n, at];
};

// fill copies the data of a module into its memory: a section with segments, each with a
// place and its bytes.
const fill = (memory, section) => {
  const bytes = new Uint8Array(section), into = new Uint8Array(memory);
  let [length, at] = numberAt(bytes, 1), left, place, size; // after the section's number
  const end = at + length;
  for ([left, at] = numberAt(bytes, at); left; left--) {
    [place, at] = numberAt(bytes, at + 2); // after what kind of segment it is, and that a number follows
    [size, at] = numberAt(bytes, at + 1);
    into.set(bytes.subarray(at, at + size), place);
    at += size;
  }
  if (at !== end) throw new Error("its data is damaged");
  section.transfer?.(0); // it goes now, and not when the worker collects its garbage
};

const refuse = () => { throw new Error("It does not come"); };

const begin = async ({ module, data, engine }) => {
  put("/root/.keep", "");
  put("/tmp/.keep", "");
  put("/dev/null", "");
  data ??= (await (await engineKept(engine.name) ?? refuse()).blob()).slice(engine.code);
  const section = await data.arrayBuffer();
  globalThis.fetch = undefined; // what is played reaches nothing outside of it
  const go = new Go();
  const grown = go.importObject.gojs["runtime.resetMemoryDataView"];
  go.importObject.gojs["runtime.resetMemoryDataView"] = (sp) => {
    grown(sp);
    if (go._inst.exports.mem.buffer.byteLength > mostMemory) throw new RangeError("out of memory");
  };
  go.argv = ["page"];
  go.env = { HOME: "/root", TMPDIR: "/tmp", PATH: "" };
  const ready = new Promise((resolve) => { globalThis.sceneReady = resolve; });
  const instance = await WebAssembly.instantiate(module, go.importObject);
  fill(instance.exports.mem.buffer, section);
  void go.run(instance).then(
    () => postMessage({ ended: globalThis.printed ?? "" }), (problem) => postMessage({ ended: String(problem) }));
  await ready;
};

let begun;
onmessage = async ({ data }) => {
  try {
    if (!data.module) return postMessage(await compiled(data.engine));
    await (begun ??= begin(data));
    if (data.slider) return drawSlider(data.slider, data.values, (drawn, wrong) => postMessage({ drawn, wrong }));
    if (data.edit) {
      const [patch, wrong] = patchOf(...data.edit);
      return postMessage({ patch, wrong });
    }
    for (const [name, text] of Object.entries(data.manifests)) put(`/chapters/${data.chapter}/manifests/${name}`, text);
    playScene(data.chapter, data.scene, data.file, (played, wrong, looked) => postMessage({ played, wrong, looked }), data.look);
  } catch (problem) {
    postMessage({ ended: String(problem) });
  }
};
