// What is written into the exercises of a chapter is kept in the browser. The chapter may
// be open in several tabs: none writes over what another one has kept since it has read.
const shelves = (() => {
  let opened;
  return () => opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open("reconcile-exercises", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("chapters");
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
})();
const editionOf = (kept) => kept?.files ? kept : { edition: 0, files: kept ?? {} };
const notKept = "What you write is not kept: the browser has no room for it, or lets no page keep anything. It stays here while the page is open; Save puts it into a file.";

const shelfOf = (chapter, changed) => {
  const tabs = new BroadcastChannel("reconcile-exercises");
  tabs.onmessage = ({ data }) => { if (data === chapter) changed(); };
  let known, same; // the edition that was read or written last, and its files

  // turn reads what is kept and lets act write in its place: both, or neither.
  const turn = async (mode, act, after) => {
    const transaction = (await shelves()).transaction("chapters", mode);
    const store = transaction.objectStore("chapters");
    const asked = store.get(chapter);
    let found;
    asked.onsuccess = () => {
      found = editionOf(asked.result);
      act?.(found, store);
    };
    await new Promise((resolve, reject) => {
      transaction.oncomplete = () => { after(found); resolve(); };
      transaction.onabort = () => reject(transaction.error);
    });
    return found.files;
  };
  return {
    read: () => turn("readonly", undefined, ({ edition, files }) => {
      known = edition;
      same = JSON.stringify(files);
    }),
    // write keeps files. It returns false, and has not, if another tab has kept others
    // meanwhile.
    async write(files) {
      const text = JSON.stringify(files);
      if (text === same) return true;
      let next;
      await turn("readwrite", ({ edition }, store) => {
        if (edition !== known) return;
        store.put({ edition: next = edition + 1, files }, chapter);
      }, () => { if (next) [known, same] = [next, text]; });
      if (next) tabs.postMessage(chapter);
      return !!next;
    },
  };
};
