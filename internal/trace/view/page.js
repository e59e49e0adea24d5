const main = document.querySelector("main"), alert = main.querySelector("p");
const query = (params) => "?" + new URLSearchParams(params);
const asked = async (address, options) => {
  const response = await fetch(address, options).catch(() => { throw new Error("The lab doesn’t answer: has it ended?"); });
  if (!response.ok) throw new Error(await response.text() || response.statusText);
  return response;
};
// lost says why no stream comes, and tries again: a browser does only where the lab
// doesn't answer at all.
const follow = (take) => {
  let stream, again;
  const lost = async () => {
    const response = await fetch("look.css", { cache: "no-store" }).catch(() => undefined);
    alert.textContent = !response ? "The lab has gone. When it’s back, this page goes on."
      : response.ok ? "The stream has broken off. This page asks for it again."
        : "The lab doesn’t know this page’s key any more: it was started again. Open the address that lab up printed.";
    if (stream.readyState === EventSource.CLOSED) again = setTimeout(open, 3000);
  };
  const open = () => {
    stream = new EventSource("stream");
    stream.onopen = () => { alert.textContent = ""; };
    stream.onmessage = ({ data }) => take(JSON.parse(data) ?? []);
    stream.onerror = lost;
  };
  open();
  return () => { clearTimeout(again); stream.close(); };
};
lookView(main, {
  follow, linked: true,
  versions: async (kind, key) => (await asked("versions" + query({ kind, key }))).json(),
  waits: async (kind, key) => (await asked("waits" + query({ kind, key }))).json(),
  act: async (verb, params) => (await asked("do" + query({ verb, ...params }), { method: "POST" })).text(),
});
