// What a worker fetches is unpacked here, and kept for the next page.
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

// unpacked returns a response with the unpacked module, and says, later, whether it is kept;
// it tells how much of it has come. A host that knows brotli sends less.
const unpacked = async ({ name, gzip, raw, isBrotli }, tell = (came) => postMessage({ came })) => {
  const store = await engineStore().catch(() => undefined);
  const kept = await store?.match(name).catch(() => undefined);
  if (kept) return { response: kept, keeping: true };
  const told = (body, of) => {
    let bytes = 0;
    return body.pipeThrough(new TransformStream({
      transform(chunk, next) {
        bytes += chunk.length;
        tell(bytes / of);
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
  return { response: asModule(now), keeping: keep(store, name, later).then(() => true, () => false) }; // no room for it: the next page fetches it again
};
