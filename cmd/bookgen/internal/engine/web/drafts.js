// What is typed into files and not saved yet is kept in the browser: by what the page
// began with, and each text apart for each page, so that no tab writes over another's.
const draftsOf = (() => {
  const page = Math.random().toString(36).slice(2), opened = new Map();
  const begins = "draft ";
  const unkept = new Set(); // keys
  let before; // the page that this one was before it was loaded again
  try {
    before = sessionStorage.getItem("page");
    sessionStorage.setItem("page", page);
  } catch { }

  const open = (of) => {
    const texts = new Map(), mine = new Set(), others = new Map(); // others' are left where they are until they are changed
    const keyOf = (file) => `${begins}${page} ${file} ${of}`;
    const remove = (file) => {
      const key = others.get(file) ?? keyOf(file);
      others.delete(file);
      unkept.delete(key);
      try { localStorage.removeItem(key); } catch { }
    };
    // keep returns why a text isn't kept, if it is not.
    const keep = (file) => {
      try {
        localStorage.setItem(keyOf(file), texts.get(file));
        unkept.delete(keyOf(file));
      } catch (problem) {
        unkept.add(keyOf(file));
        const why = problem.name === "QuotaExceededError" ? "has no room left" : "doesn’t let this page keep anything";
        return `What you type here goes with the page unless you apply or save it: the browser ${why}.`;
      }
    };
    const free = (file) => {
      let name = file;
      for (let n = 2; texts.has(name); n++) name = file.replace(/(\.[^.]*)?$/, (end) => `-${n}${end}`);
      return name;
    };
    return {
      texts,
      // find takes what other pages have kept. A second text of a file gets another name.
      find() {
        let keys = [];
        try { keys = Object.keys(localStorage); } catch { }
        const isBefore = (key) => key.startsWith(`${begins}${before} `);
        for (const key of keys.sort((a, b) => isBefore(b) - isBefore(a))) {
          const [, by, file, where] = /^draft (\S+) (\S+) ([^]*)$/.exec(key) ?? [];
          const text = where === of && by !== page ? localStorage.getItem(key) : null;
          if (text === null || text === texts.get(file) || [...others.values()].includes(key)) continue;
          const name = free(file);
          texts.set(name, text);
          others.set(name, key);
        }
      },
      set(file, text) {
        if (others.has(file)) remove(file);
        texts.set(file, text);
        mine.add(file);
        return keep(file);
      },
      delete(file) {
        texts.delete(file);
        mine.delete(file);
        remove(file);
      },
      keepAll() { mine.forEach(keep); },
    };
  };
  const keepAll = () => opened.forEach((one) => one.keepAll());
  addEventListener("storage", (event) => { if (event.newValue === null) keepAll(); }); // another page took one over
  addEventListener("pageshow", keepAll);
  addEventListener("beforeunload", (event) => { if (unkept.size) event.preventDefault(); });
  return (of) => {
    if (!opened.has(of)) opened.set(of, open(of));
    return opened.get(of);
  };
})();
