// The book's engine, in a worker: one plays for the whole page, one scene after the
// other. The module outlives its worker.
const player = (() => {
  const root = new URL(document.body.dataset.root + "assets/", location.href).href;
  let worker, module, ending, last = Promise.resolve();
  const end = () => {
    worker?.terminate();
    worker = undefined;
    ending?.(Object.assign(new Error("stopped"), { stopped: true }));
  };
  addEventListener("pagehide", end);

  const once = (request, told) => new Promise((resolve, reject) => {
    ending = reject;
    const gone = (why) => {
      reject(new Error("The engine has ended: " + why));
      end();
    };
    if (!worker) {
      worker = new Worker(root + "live-worker.js");
      worker.onerror = (event) => gone(event.message ?? "its script is not here");
    }
    worker.onmessage = ({ data }) => {
      if (data.module) module = data.module;
      else if (data.came) told(data.came);
      else if (data.ended !== undefined) gone(data.ended);
      else resolve(data);
    };
    worker.postMessage({ engine: { ...engine, name: root + engine.name }, module, ...request });
  });

  // What was fetched once is asked for again, in case that it has changed, and kept for
  // a time without a network.
  const kept = async (address) => {
    const store = await globalThis.caches?.open("engine").catch(() => undefined);
    const response = await fetch(address).catch(() => undefined);
    if (response?.ok) {
      void store?.put(address, response.clone()).catch(() => { });
      return response;
    }
    return await store?.match(address) ?? Promise.reject(new Error("The engine is not here: what the chapter's scenes are played from does not come."));
  };
  const chapters = {};

  return {
    end,
    // play plays a scene when those before it have ended.
    play(request, told) {
      const turn = () => once(request, told);
      return last = last.then(turn, turn);
    },
    // isHere says whether nothing has to be fetched.
    isHere: async () => !!module || !!await globalThis.caches?.match(root + engine.name),
    chapter(slug) {
      chapters[slug] ??= kept(`${root}live-${slug}.json`).then((response) => response.json());
      chapters[slug].catch(() => { delete chapters[slug]; });
      return chapters[slug];
    },
  };
})();
