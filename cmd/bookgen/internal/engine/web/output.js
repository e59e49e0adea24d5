// The output, as the pages print theirs; lines that are new are marked, and below each step
// stands which faults have struck.
const output = (text, marked = [], faults = []) => {
  const samp = element("samp"), left = [[], ...faults];
  const struck = () => samp.append(...(left.shift() ?? []).map((one) => element("span", { className: "meanwhile" }, one, "\n")));
  const begins = (line) => line === undefined || lines.isStep(line);
  const all = text.split("\n");
  for (const [i, line] of all.entries()) {
    if (!line && begins(all[i + 1])) continue;
    if (lines.isStep(line)) struck();
    if (/^(\d*\| )?\[exit \d+\]$/.test(line)) continue; // the output says why
    const job = /^\d*\|( |$)/.exec(line);
    const add = (className, ...text) => samp.append(element(marked.includes(i) ? "mark" : "span", { className }, ...text, "\n"));
    if (line.startsWith("$ ")) add("typed", "$ ", element("kbd", { textContent: line.slice(2) }));
    else if (job) add("job", line.slice(job[0].length));
    else if (line.startsWith("write ")) {
      const [file, text] = lines.written(line);
      add("meanwhile", `${file} is written:`);
      for (const one of text.trimEnd().split("\n")) add("l", one);
    } else if (lines.isVerb(line)) add("meanwhile", line === "stop" ? "ctrl-C" : line);
    else add("l", line.replace(/^\\/, ""));
  }
  struck();
  return samp;
};

// What was typed on this page, for the arrow keys.
const typedBefore = {
  key: "typed " + location.pathname,
  all() { try { return JSON.parse(sessionStorage.getItem(this.key)) ?? []; } catch { return []; } },
  add(line) { try { sessionStorage.setItem(this.key, JSON.stringify([...this.all(), line].slice(-100))); } catch { } },
};
