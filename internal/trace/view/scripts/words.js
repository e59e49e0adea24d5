// What the views say of entries, in words.
const idOf = ({ kind, key }) => `${kind} ${key}`;
const keyOf = (id) => id.slice(id.indexOf(" ") + 1);
const nameOf = (key) => key.slice(key.lastIndexOf("/") + 1);
const some = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;

const clock = (at) => new Date(at / 1000).toISOString().slice(11, 23);
const lasting = (us) => {
  if (us < 1e3) return `${us} µs`;
  if (us < 1e6) return `${+(us / 1e3).toPrecision(3)} ms`;
  return us < 120e6 ? `${+(us / 1e6).toPrecision(3)} s` : `${Math.round(us / 60e6)} min`;
};

const marks = { waits: "waits", starts: "starts", ready: "ready", ends: "ends", failed: "failed", done: "done" };
const markOf = (is) => marks[is?.mark] ?? "plain";
const glyph = (mark) => element("i", { className: `glyph ${mark}` });

// changed says what of an object differs from before, as far as a drawing shows it.
const changed = ({ verb, is = {}, was = {} }) => {
  const parts = [];
  if (is.node && is.node !== was.node && verb !== "added") parts.push(`it goes to ${is.node}`);
  if (is.word && is.word !== was.word && verb !== "deleted") parts.push(was.word ? `${was.word} → ${is.word}` : is.word);
  if (is.image && was.image && is.image !== was.image) parts.push(`image ${is.image}`);
  const { has = [] } = is, { has: had = [] } = was, subject = (fact) => fact.replace(/\d+/, "");
  if (verb !== "deleted") parts.push(...has.filter((fact) => !had.includes(fact)), ...had.filter((fact) => !has.some((other) => subject(other) === subject(fact))).map((fact) => `no longer ${fact}`));
  return parts.length ? `: ${parts.join(", ")}` : "";
};

const did = { added: "created", modified: "changed", deleted: "deleted" };
const told = {
  Added: "heard of", Updated: "heard of", Deleted: "heard of the end of", Replaced: "read anew", Sync: "told again of",
};
const sayings = {
  is: (e) => `${idOf(e)} was there when this record begins`,
  ask: (e) => `${e.lane} asked ${e.text ?? "for a change"}`,
  write: (e) => e.kind === "Event" && e.is ? `${e.lane} told of ${e.is.about}: ${e.is.text}` : `${e.lane} ${did[e.verb]} ${idOf(e)}${changed(e)}`,
  heard: (e) => `the ${e.kind} cache ${told[e.verb] ?? "heard of"} ${e.key}`,
  key: (e) => `${e.lane}’s queue ${e.verb ? `has ${e.key} already` : `got ${e.key}`}`,
  run: (e) => `${e.lane} began to reconcile ${e.key}`,
  end: (e) => `${e.lane} reconciled ${e.key}: ${outcome(e)}`,
  decide: (e) => e.node ? `${e.lane} chose ${e.node} for Pod ${e.key}` : `${e.lane} found no node for Pod ${e.key}: ${e.text ?? ""}`,
  dial: (e) => `${e.from || "a client"} asked ${e.to}${e.pod ? ` and reached ${e.pod}` : ""}${e.err ? `: ${e.err}` : ""}`,
  act: (e) => `${e.lane || "all loops"}: ${e.text || e.verb}`,
  lane: (e) => `${e.lane}${e.hold ? ` is ${e.hold}` : " runs"}`,
};
const brief = (err) => err.replace(/Operation cannot be fulfilled on \S+ "(.*?)": the object has been modified;.*/, "conflict, $1 has been modified meanwhile");
const outcome = (e) => {
  const back = e.after ? `, and again in ${lasting(e.after)}` : "";
  if (e.err) return `error: ${brief(e.err)}${back}`;
  return (e.wrote ? some(e.wrote, "write") : "nothing to do") + back;
};
const said = (e) => sayings[e.do]?.(e) ?? "";

// Events and Leases are written all the time, and say nothing that a drawing shows.
// What is asked of the lab's operator is told as an act, and that an Event expires isn't told.
const isTold = (e) => e.do === "ask" && e.text === "POST /lab/do" || e.kind === "Event" && e.verb === "deleted";
const isNoise = (e) => e.kind === "Event" || e.kind === "Lease" || isTold(e) || e.lane?.startsWith("heartbeat");
// Steps of interest are those that a slider stops at; all else is seen in passing.
const ofInterest = (e) => e.n > 0 && !isNoise(e) && ["ask", "write", "run", "end", "decide", "act"].includes(e.do);
// Changes are what the list says: what a drawing shows, and no reconcile that did nothing.
const isChange = (e) => e.n > 0 && e.kind !== "Lease" && !isTold(e) && (["ask", "write", "decide", "act"].includes(e.do) || ((e.do === "end" || e.do === "dial") && !!e.err));
