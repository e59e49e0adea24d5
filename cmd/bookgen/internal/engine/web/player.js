const buttonOf = (text, act) => element("button", { type: "button", textContent: text, onclick: act });

// An engine in a worker: one plays for the whole page, one run after the other. The
// module outlives its worker.
const playerOf = (engine) => {
  const root = new URL(document.body.dataset.root + "assets/", location.href).href;
  let worker, module, allowed, ending, last = Promise.resolve();
  const end = () => {
    if (worker) worker.onmessage = worker.onerror = null; // one that ends while it loads says so, later
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
    // play plays what is asked for when all before it has ended.
    play(request, told) {
      const turn = () => once(request, told);
      return last = last.then(turn, turn);
    },
    // isHere says whether nothing has to be fetched or compiled.
    isHere: () => !!module,
    // allow does something when the module may be fetched: that is asked for once, with
    // its size, by a function that shows a text and buttons. It returns the one that says
    // yes; the other leads back.
    async allow(what, say, then, back) {
      if (allowed ||= module || await globalThis.caches?.match(root + engine.name).catch(() => undefined)) return void await then();
      const yes = buttonOf("fetch it", () => { allowed = true; void then(); });
      say(`${what} can run in this page: ${Math.ceil(engine.gzip / 1e6)} MB, fetched once.`,
        yes, buttonOf("not now", () => { say(""); back(); }),
        element("a", { href: document.body.dataset.root + "assets/live-licences.txt", textContent: "what's in it, with its licences" }));
      return yes;
    },
    chapter(slug) {
      chapters[slug] ??= kept(`${root}live-${slug}.json`).then((response) => response.json());
      chapters[slug].catch(() => { delete chapters[slug]; });
      return chapters[slug];
    },
  };
};
