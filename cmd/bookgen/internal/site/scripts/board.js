// The board of a workshop is told how far its reader is, if they want that, as lab tells
// it (board.NewReport, in Go).
const progressFile = ".reconcile/progress.json";
const reportOf = async ({ id, name, flag }) => {
  const asked = (await shelves()).transaction("chapters").objectStore("chapters").getAll();
  await new Promise((resolve, reject) => { asked.onsuccess = resolve; asked.onerror = () => reject(asked.error); });
  const exercises = asked.result.flatMap((kept) => Object.entries(JSON.parse(editionOf(kept).files[progressFile] ?? "{}").exercises ?? {}))
    .filter(([, { started, attempts, hints }]) => started || attempts || hints)
    .map(([number, { started, tested, passed, peeked, attempts, hints, failing, looks_like, ended }]) => ({
      number, started, tested, passed, peeked, attempts, hints, ...!passed && { failing, looks_like },
      ...started && ended && { minutes: (new Date(ended) - new Date(started)) / 60000 },
    }));
  return { id, name, flag, sent: new Date(), exercises };
};

// boardAt reads where a board is, and its token, out of what it prints for participants,
// or of a part of that.
const boardAt = (to, token) => {
  const at = to.replace(/^[^]*--to[= ]/, "");
  return {
    to: /https?:\/\/[^\s/?#]+/i.exec(at)?.[0] ?? "http://" + /^[\s/]*([^\s/?#]*)/.exec(at)[1],
    token: /--token[= ](\S+)/.exec(to + " " + token)?.[1] ?? token.trim(),
  };
};

const boardForm = () => {
  let here = {}; // wherever it can't be kept
  const who = () => JSON.parse(preferences.get("board") ?? "null") ?? here;
  const is = (next) => preferences.set("board", JSON.stringify(here = next));
  const stopped = "The board hears nothing any more.", goesTo = who().to;
  const status = element("p", {}, goesTo ? `Reports go to ${goesTo} after each test and hint.` : "");
  status.setAttribute("role", "status");
  const tell = async () => {
    const { to, token, ...mine } = who();
    if (!to) return void (status.textContent &&= stopped); // in another tab, maybe
    const say = (text) => { if (who().to === to) status.textContent = text; };
    try {
      const body = JSON.stringify(await reportOf(mine));
      const answer = await fetch(to + "/report", { method: "POST", headers: { Authorization: "Bearer " + token }, body, signal: AbortSignal.timeout(3000) })
        .catch(() => { throw new Error(`the board does not answer. ${location.protocol === "https:" ? "A page that came by https reaches none in a room." : "Is this its address, and has it a token?"}`); });
      if (!answer.ok) throw new Error(answer.headers.get("Content-Type")?.startsWith("text/plain") ? "the board says: " + await answer.text() : "what answers there is no board.");
      say(`Sent to ${to}, and again after each test and hint.`);
    } catch (problem) {
      say("Your report was not sent: " + problem.message);
    }
  };
  const stop = () => {
    is({ ...who(), to: "", token: "" });
    status.textContent = stopped;
  };
  const field = (name, words, more) => element("label", {}, words + " ", element("input", { name, value: who()[name] ?? "", autocomplete: "off", ...more }));
  const flags = [["", "none"], ["red", "red: I need help"], ["green", "green: I’m done"]].map(([value, words]) => element("option", { value, selected: value === (who().flag ?? "") }, words));
  const form = element("form", {
    onsubmit: (event) => {
      event.preventDefault();
      const { to, token, name, flag } = Object.fromEntries(new FormData(form));
      const id = who().id ?? [...crypto.getRandomValues(new Uint8Array(12))].map((n) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[n % 32]).join("");
      const at = boardAt(to, token);
      for (const name in at) form.elements[name].value = at[name];
      is({ id, name, flag, ...at });
      return tell();
    },
  }, element("p", {}, "The board of your instructor is told which exercises you have begun, how often you have tested, how many hints you took, which tests fail and what has passed: when you press Send, and again after each test and hint, until you press Stop. Neither your code nor your name is in it, unless you give one. Others on the network can read it."),
    field("to", "The board’s address", { required: true, pattern: ".*\\S.*" }), field("token", "its token"), field("name", "your name, if the board shall have it", { maxLength: 32 }),
    element("label", {}, "a flag ", element("select", { name: "flag" }, ...flags)), element("button", {}, "Send"), element("button", { type: "button", onclick: stop }, "Stop"));
  const box = element("details", { className: "board", open: !!goesTo }, element("summary", {}, "Report to a board"), form, status);
  return { box, tell };
};
