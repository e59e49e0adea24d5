// The engine, in a worker: a scene may run for long, and the page goes on.
importScripts("live-files.js", "live-go.js");

// streamed returns the module as a response, and tells how much of it has come. A
// host that knows brotli sends less.
const streamed = async ({ name, brotli, gzip, raw }) => {
  const kept = await globalThis.caches?.open("engine");
  const told = (body, of, done) => {
    let bytes = 0;
    return body.pipeThrough(new TransformStream({
      transform(chunk, next) {
        bytes += chunk.length;
        postMessage({ came: bytes / of });
        next.enqueue(chunk);
      },
      flush: done,
    }));
  };
  const unpacked = (response, of) => {
    const body = told(response.body, of);
    return response.url.endsWith(".gz") ? body.pipeThrough(new DecompressionStream("gzip")) : body;
  };
  let response = await kept?.match(name + ".gz");
  if (response) return response.body.pipeThrough(new DecompressionStream("gzip"));
  const giveUp = new AbortController();
  response = await fetch(name + ".br", { signal: giveUp.signal }).catch(() => null);
  if (response?.ok && response.headers.get("Content-Encoding") === "br") return unpacked(response, raw);
  giveUp.abort();
  response = await fetch(name + ".gz");
  if (!response.ok) throw new Error("the engine is not here: " + response.status);
  const [now, later] = response.body.tee();
  void kept?.put(name + ".gz", new Response(later));
  return told(now, gzip).pipeThrough(new DecompressionStream("gzip"));
};

const begin = async ({ engine, module }) => {
  put("/root/.keep", "");
  put("/tmp/.keep", "");
  put("/dev/null", "");
  if (!module) {
    const stream = await streamed(engine);
    module = await WebAssembly.compileStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }));
    postMessage({ module });
  }
  const go = new Go();
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
    for (const [name, text] of Object.entries(data.manifests)) put(`/chapters/${data.chapter}/manifests/${name}`, text);
    playScene(data.chapter, data.scene, data.file, (played, wrong) => postMessage({ played, wrong }));
  } catch (problem) {
    postMessage({ ended: String(problem) });
  }
};
