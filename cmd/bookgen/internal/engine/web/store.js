// engineStore is where modules are kept: the browser's caches or, over plain HTTP from
// another machine, where a page has none, a database that answers as these do. A private
// window of WebKit keeps no Blob there.
const engineStore = async () => {
  if (globalThis.caches) return caches.open("engine");
  const database = await new Promise((resolve, reject) => {
    const asked = indexedDB.open("reconcile-engine", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("modules");
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  const does = (mode, act) => new Promise((resolve, reject) => {
    const transaction = database.transaction("modules", mode);
    const asked = act(transaction.objectStore("modules"));
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onabort = () => reject(transaction.error);
  });
  return {
    match: (name) => does("readonly", (store) => store.get(name)).then((body) => body && new Response(body, { headers: { "Content-Type": "application/wasm" } })),
    put: (name, response) => response.arrayBuffer().then((body) => does("readwrite", (store) => store.put(body, name))),
    keys: () => does("readonly", (store) => store.getAllKeys()).then((names) => names.map((url) => ({ url }))),
    delete: (name) => does("readwrite", (store) => store.delete(name)),
  };
};
const engineKept = async (name) => (await engineStore().catch(() => undefined))?.match(name).catch(() => undefined);
