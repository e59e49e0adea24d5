// A link holds a whole run: what it begins with, the reader's lines, what they printed,
// and by which engine. All that comes in one is data of somebody else's.
const linked = (() => {
  const version = "1.";
  const most = { packed: 65536, text: 1 << 20, lines: 200, line: 20000, answer: 400000, hours: 100, machines: 20 };
  const refuse = (why) => { throw Object.assign(new Error("This link can't be played: " + why), { refused: true }); };

  const unseen = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

  const through = (bytes, stream) => new Blob([bytes]).stream().pipeThrough(stream);
  // whole reads a stream to its end, unless that is too far away.
  const whole = async (stream) => {
    const chunks = [];
    let size = 0;
    for (const reader = stream.getReader(); ;) {
      const { value, done } = await reader.read();
      if (done) break;
      if ((size += value.length) > most.text) {
        void reader.cancel().catch(() => { });
        refuse("it unpacks to more than a megabyte.");
      }
      chunks.push(value);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  };

  const hoursOf = (time) => {
    if (time === "until quiet") return 1;
    const units = { h: 1, m: 1 / 60, s: 1 / 3600, ms: 1 / 3.6e6, us: 1 / 3.6e9, ns: 1 / 3.6e12 };
    return [...time.replace(/[µμ]/g, "u").matchAll(/([\d.]+)(h|ms|us|ns|m|s)/g)].reduce((all, [, n, unit]) => all + n * units[unit], 0);
  };
  // wrong says why lines can't be played, or nothing.
  const wrong = (all) => {
    if (!Array.isArray(all) || all.some((line) => typeof line !== "string")) return "its lines are no text.";
    if (all.length > most.lines) return `it has ${all.length} lines, and more than ${most.lines} aren't played.`;
    let hours = 0, machines = 0;
    for (const line of all) {
      const begins = line.slice(0, 60);
      if (line.length > most.line) return `a line has ${line.length} characters: ${begins}…`;
      if (unseen.test(line.startsWith("write ") ? line.replaceAll("\t", "") : line)) return `a line has signs that can't be typed: ${begins}`;
      if (!line.startsWith("kubectl ") && !lines.isVerb(line)) return `a line is neither kubectl nor what happens besides: ${begins}`;
      if (lines.goesOn(line)) return `a line ends in a backslash: ${begins}`;
      if (line.startsWith("advance ")) hours += hoursOf(line.slice(8).trim());
      if (line.startsWith("add ")) machines++;
    }
    if (!(hours <= most.hours)) return `more than ${most.hours} hours would pass.`;
    if (machines > most.machines) return `it adds more than ${most.machines} nodes.`;
  };

  // checked returns what may be shown of something that came, and refuses the rest.
  const checked = (came) => {
    const { begins, lines: all, answer = "", engine = "" } = came ?? {};
    if (typeof begins !== "string" || !/^([\w-]{1,60}|\d\d-[a-z-]{1,60}\/[\w-]{1,60}\.scene(:[\w -]{1,60})?)$/.test(begins)) refuse("it doesn't say what it begins with.");
    const why = wrong(all);
    if (why) refuse(why);
    if (typeof answer !== "string" || answer.length > most.answer) refuse("its answer is no text, or too long.");
    if (unseen.test(answer.replace(/[\n\t]/g, ""))) refuse("its answer has signs that can't be printed.");
    if (typeof engine !== "string" || !/^[0-9a-f]{0,16}$/.test(engine)) refuse("it names no engine.");
    return { begins, lines: all, answer, engine };
  };
  const read = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      refuse("it's damaged.");
    }
  };

  return {
    wrong, checked, whole,
    // file reads what was saved in place of a link.
    file: (text) => text.length > most.text ? refuse("the file has more than a megabyte.") : checked(read(text)),
    // pack packs a run so that it is read again: without its answer, if that is too much.
    async pack(run) {
      const packed = async (run) => {
        const text = JSON.stringify(run);
        checked(run);
        if (new Blob([text]).size > most.text) refuse("it's too long.");
        const bytes = await whole(through(text, new CompressionStream("deflate-raw")));
        const signs = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
        const end = version + btoa(signs).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        return end.length > most.packed ? refuse("it's too long.") : end;
      };
      return await packed(run).catch(() => packed({ ...run, answer: "" }));
    },
    // isOne reports whether the end of an address may hold a run.
    isOne: (text) => /^\d+\./.test(text),
    async unpack(text) {
      if (!text.startsWith(version)) refuse("it's of another kind than this page knows.");
      if (text.length > most.packed) refuse(`it has ${text.length} characters, and more than ${most.packed} aren't read.`);
      let bytes;
      try {
        bytes = Uint8Array.from(atob(text.slice(version.length).replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
      } catch {
        refuse("it's damaged.");
      }
      const unpacked = await whole(through(bytes, new DecompressionStream("deflate-raw"))).catch((problem) => {
        if (problem.refused) throw problem;
        refuse("it's damaged.");
      });
      return checked(read(new TextDecoder().decode(unpacked)));
    },
  };
})();
