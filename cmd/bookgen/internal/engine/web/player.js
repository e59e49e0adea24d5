const buttonOf = (text, act) => element("button", { type: "button", textContent: text, onclick: act });

// An engine in a worker: one plays for the whole page, one run after the other. The
// module outlives its worker, and was compiled in one of its own.
const playerOf = (engine) => {
  const root = new URL(document.body.dataset.root + "assets/", location.href).href;
  let worker, compiled, allowed, ending, begun = false, stops = 0, last = Promise.resolve();
  const stopped = () => Object.assign(new Error("stopped"), { stopped: true });
  const leave = () => {
    if (worker) worker.onmessage = worker.onerror = null; // one that ends while it loads says so, later
    worker?.terminate();
    worker = undefined;
  };
  const drop = () => {
    begun = false;
    leave();
  };
  const end = () => {
    stops++;
    drop();
    ending?.(stopped());
  };
  addEventListener("pagehide", end);

  // What it wants and does not get is said in sentences, before it is offered if that
  // can be known then.
  const away = "The engine couldn’t be fetched from this page’s server. Is there a network?";
  const megabytes = Math.ceil(engine.raw / 3e7) * 100; // of memory: the module, what it is compiled to, and its heap
  const noRoom = `There is not enough memory for the engine: it wants about ${megabytes} MB. Close some tabs and try again.`;
  const waits = "This waits for something that can’t come in a page, such as a connection to a port.";
  const meant = (why) => /RangeError|out of memory/i.test(why) ? noRoom : /does not come|its script/.test(why) ? away : /was replaced/.test(why) ? "Another page has put its own engine in the place of this page’s. Load this page again." : /deadlock: all goroutines/.test(why) ? waits : "The engine has ended: " + why;
  let asked;
  const packing = () => asked ??= fetch(root + engine.name + ".br", { method: "HEAD" }).then((head) => {
    if (!head.ok) throw new Error(away);
    return { isBrotli: head.headers.get("Content-Encoding") === "br" };
  }).catch(() => {
    asked = undefined;
    throw new Error(away);
  });
  // lack says why it cannot run here; nothing if it can.
  const lack = () => {
    if (!globalThis.WebAssembly) return "Nothing can run in this page: the browser has no WebAssembly, or has it switched off.";
    try {
      void new WebAssembly.Memory({ initial: megabytes * 16 });
    } catch {
      return noRoom;
    }
  };
  const isKept = async () => !!await engineKept(root + engine.name);

  const once = async (request, told, before) => {
    const { isBrotli } = compiled || await isKept() ? {} : await packing();
    if (stops !== before) throw stopped();
    if (!compiled) {
      const what = { engine: { ...engine, isBrotli, name: root + engine.name } };
      compiled = { ...what, ...await sent(what, told) };
      leave();
    }
    return await sent({ ...compiled, ...request }, told);
  };
  const sent = (request, told) => new Promise((resolve, reject) => {
    ending = reject;
    const gone = (why) => {
      drop(); // nobody has stopped it: what waits behind it is tried
      compiled = undefined;
      reject(new Error(meant(why)));
    };
    if (!worker) {
      worker = new Worker(root + "live-worker.js");
      worker.onerror = (event) => gone(event.message ?? "its script is not here");
    }
    worker.onmessage = ({ data }) => {
      if (data.came) told(data.came);
      else if (data.ended !== undefined) gone(data.ended);
      else resolve(data);
    };
    worker.postMessage(request);
  });

  // What was fetched once is asked for again, in case that it has changed, and kept for
  // a time without a network.
  const kept = async (address) => {
    const store = await engineStore().catch(() => undefined);
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
    // play plays what is asked for when all before it has ended, if nothing has stopped
    // it by then.
    play(request, told) {
      const before = stops;
      const turn = () => once(request, told, before);
      begun = true;
      return last = last.then(turn, turn);
    },
    // warm plays what a reader is about to go on from, if all of that is here and nothing
    // runs yet.
    async warm(request) {
      try {
        if (begun || !await isKept() || lack()) return;
        const first = await request();
        if (!begun) await this.play(first, () => { });
      } catch { } // it is played again, and says what is wrong, when it is asked for
    },
    // isHere says whether nothing has to be fetched or compiled.
    isHere: () => !!compiled,
    // allow does something when the module may be fetched: that is asked for once, with
    // its size, by a function that shows a text and buttons. It returns the one that says
    // yes; the other leads back. What cannot be is an error.
    async allow(what, say, then, back) {
      const wrong = !compiled && lack();
      if (wrong) throw new Error(wrong);
      if (allowed ||= compiled || await isKept()) return void await then();
      const { isBrotli } = await packing();
      if (!isBrotli && !globalThis.DecompressionStream) throw new Error("Nothing can run in this page: the browser can’t unpack what would be fetched. One of 2023 or later can.");
      const yes = buttonOf("fetch it", () => { allowed = true; void then(); });
      say(`${what} can run in this page: ${Math.ceil((isBrotli ? engine.brotli : engine.gzip) / 1e6)} MB, fetched once.`,
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
