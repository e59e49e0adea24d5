// The engine, in a worker: a scene may run for long, and the page goes on.
importScripts("live-files.js", "live-go.js", "live-fetch.js");

// What is played may not take more.
const mostMemory = 2 ** 30;

// compiled returns the module. The page runs it in a worker of its own, since the bytes
// that came, four times the module's, go only with the worker.
const compiled = async (engine) => {
  const { response, keeping } = await unpacked(engine);
  const module = await WebAssembly.compileStreaming(response);
  await keeping; // the worker ends with this
  return { module };
};

const begin = async (module) => {
  put("/root/.keep", "");
  put("/tmp/.keep", "");
  put("/dev/null", "");
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
  void go.run(await WebAssembly.instantiate(module, go.importObject)).then(
    () => postMessage({ ended: globalThis.printed ?? "" }), (problem) => postMessage({ ended: String(problem) }));
  await ready;
};

let begun;
onmessage = async ({ data }) => {
  try {
    if (!data.module) return postMessage(await compiled(data.engine));
    await (begun ??= begin(data.module));
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
