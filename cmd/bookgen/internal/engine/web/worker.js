// The engine, in a worker: a scene may run for long, and the page goes on.
importScripts("live-files.js", "live-go.js");

// What is played may not take more.
const mostMemory = 2 ** 30;

const asModule = (body) => new Response(body, { headers: { "Content-Type": "application/wasm" } });

// keep puts the unpacked module where the next page finds it, and takes those away
// that it replaces.
const keep = async (store, name, body) => {
  await store.put(name, asModule(body));
  const alike = name.replace(/[0-9a-f]+\.wasm$/, "");
  for (const { url } of await store.keys()) {
    if (url.startsWith(alike) && url !== name) await store.delete(url);
  }
};

// unpacked returns a response with the unpacked module, and what ends when it is kept;
// it tells how much of it has come. A host that knows brotli sends less.
const unpacked = async ({ name, gzip, raw, isBrotli }) => {
  const store = await globalThis.caches?.open("engine").catch(() => undefined);
  const kept = await store?.match(name);
  if (kept) return { response: kept };
  const told = (body, of) => {
    let bytes = 0;
    return body.pipeThrough(new TransformStream({
      transform(chunk, next) {
        bytes += chunk.length;
        postMessage({ came: bytes / of });
        next.enqueue(chunk);
      },
    }));
  };
  const fetched = async () => {
    const response = await fetch(name + (isBrotli ? ".br" : ".gz")).catch(() => undefined);
    if (!response?.ok) throw new Error("It does not come");
    return isBrotli ? told(response.body, raw) : told(response.body, gzip).pipeThrough(new DecompressionStream("gzip"));
  };
  if (!store) return { response: asModule(await fetched()) };
  const [now, later] = (await fetched()).tee();
  return { response: asModule(now), keeping: keep(store, name, later).catch(() => { }) }; // no room for it: the next page fetches it again
};

const begin = async ({ engine, module }) => {
  put("/root/.keep", "");
  put("/tmp/.keep", "");
  put("/dev/null", "");
  if (!module) {
    const { response, keeping } = await unpacked(engine);
    module = await WebAssembly.compileStreaming(response);
    await keeping; // the engine leaves no time for it
    postMessage({ module });
  }
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
