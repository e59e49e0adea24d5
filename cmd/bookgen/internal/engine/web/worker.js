// The engine, in a worker: a scene may run for long, and the page goes on.
importScripts("live-files.js", "live-go.js", "live-fetch.js");

// What is played may not take more.
const mostMemory = 2 ** 30;

// compiled returns the module without its data, and the data if they can't be read from
// where both are kept. The page runs it in a worker of its own, since the bytes that came,
// four times the module's, go only with the worker.
const compiled = async (engine) => {
  const { response, keeping } = await unpacked(engine), data = [];
  let left = engine.code ?? engine.raw;
  const code = response.body.pipeThrough(new TransformStream({ transform(chunk, next) {
    if (left) next.enqueue(chunk.subarray(0, left));
    if (left < chunk.length) data.push(chunk.slice(left));
    left = Math.max(0, left - chunk.length);
  } }));
  const module = await WebAssembly.compileStreaming(asModule(code));
  return { module, data: globalThis.caches && await keeping ? undefined : new Blob(data) };
};

// readerOf returns a reader that fills a buffer again and again, where there is one: what
// any other reads stays until the worker collects its garbage.
const readerOf = (body) => {
  try { return body.getReader({ mode: "byob" }); } catch { return body.getReader(); }
};

// fill copies what comes into a memory, span after span. A span before the memory is left
// out.
const fill = async (memory, { body }, spans) => {
  const reader = readerOf(body);
  let [{ at, size }, ...more] = spans, buffer = new ArrayBuffer(1 << 20);
  for (let part; ;) {
    let { done, value } = await reader.read(new Uint8Array(buffer));
    if (done) return;
    buffer = value.buffer;
    for (; value.length; value = value.subarray(part)) {
      if (!size) [{ at, size }, ...more] = more;
      part = Math.min(size, value.length);
      if (at >= 0) memory.set(value.subarray(0, part), at);
      at += part;
      size -= part;
    }
  }
};

const begin = async ({ module, data, engine }) => {
  for (const name of ["/root/.keep", "/tmp/.keep", "/dev/null"]) put(name, "");
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
  if (engine.data) {
    const kept = data ? new Response(data) : await engineKept(engine.name);
    if (!kept) throw new Error("It was replaced");
    await fill(new Uint8Array(instance.exports.mem.buffer), kept, data ? engine.data : [{ at: -engine.code, size: engine.code }, ...engine.data]);
  }
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
    playScene(data.chapter, data.scene, data.file, (played, wrong, looked, faults) => postMessage({ played, wrong, looked, faults }), data.look);
  } catch (problem) {
    postMessage({ ended: String(problem) });
  }
};
