// What the lines of a scene are, and what can happen next in one.
const lines = (() => {
  const part = "# part: ";
  const verbs = ["advance", "fail", "heal", "drop", "crash", "restart", "pause", "step", "go-on", "conflict", "lose", "late", "resync", "add", "cut", "stop", "start", "edit", "write"];
  const isVerb = (line) => verbs.includes(line.split(" ")[0]);
  const isStep = (line) => line.startsWith("$ ") || isVerb(line);

  // printed returns what a step printed itself, of its output in a scene: not what ran
  // in the background, and without the marks of lines that look like something else.
  const printed = (text) => text.split("\n").filter((line) => !/^\d*\|( |$)/.test(line)).map((line) => line.replace(/^\\/, ""));

  // A scene, up to the end of one of its parts.
  const upTo = (text, name) => {
    if (!name) return text;
    const all = text.split("\n");
    const begins = all.indexOf(part + name);
    const ends = all.findIndex((line, i) => i > begins && line.startsWith(part));
    return all.slice(0, ends < 0 ? all.length : ends).join("\n").trimEnd() + "\n";
  };

  // fresh returns the numbers of the lines that are in the second text and not in the
  // first: those that are no part of what both have in common.
  const fresh = (from, to) => {
    const common = Array.from({ length: from.length + 1 }, () => new Uint16Array(to.length + 1));
    for (let i = from.length - 1; i >= 0; i--) {
      for (let j = to.length - 1; j >= 0; j--) {
        common[i][j] = from[i] === to[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    const found = [];
    for (let i = 0, j = 0; j < to.length;) {
      if (i < from.length && from[i] === to[j]) { i++; j++; } // both have it
      else if (i < from.length && common[i + 1][j] >= common[i][j + 1]) i++;
      else found.push(j++);
    }
    return found;
  };

  // edit writes a change of a file as a scene does: from the first line that differs
  // to the last, and as much around them as is there once.
  const escaped = (text, mark) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll(mark, "\\" + mark);
  const edit = (file, from, to) => {
    const [old, now] = [from.split("\n"), to.split("\n")];
    let above = 0, below = 0;
    const rest = () => Math.min(old.length, now.length) - above - below;
    while (rest() > 0 && old[above] === now[above]) above++;
    while (rest() > 0 && old.at(-1 - below) === now.at(-1 - below)) below++;
    const piece = (all) => all.slice(above, all.length - below).join("\n");
    while (!piece(old) || from.indexOf(piece(old)) !== from.lastIndexOf(piece(old))) {
      if (above > 0) above--;
      else if (below > 0) below--;
      else break;
    }
    const mark = ["/", "|", "#", ","].find((sign) => !(piece(old) + piece(now)).includes(sign)) ?? "/";
    return `edit ${file} s${mark}${escaped(piece(old), mark)}${mark}${escaped(piece(now), mark)}${mark}`;
  };
  // edited does to a text what such a line says.
  const edited = (text, line) => {
    const [, mark, rest] = /^edit \S+ s(.)(.*)$/.exec(line);
    const parts = [""];
    for (let i = 0; i < rest.length; i++) {
      if (rest[i] === mark) parts.push("");
      else if (rest[i] === "\\") parts[parts.length - 1] += rest[++i] === "n" ? "\n" : rest[i];
      else parts[parts.length - 1] += rest[i];
    }
    return text.replaceAll(parts[0], () => parts[1]);
  };

  // write writes a file on one line; written reads that.
  const write = (file, text) => `write ${file} ${text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`;
  const written = (line) => {
    const [, file, text] = /^write (\S+) (.*)$/.exec(line) ?? ["", "", ""];
    return [file, text.replace(/\\([n\\])/g, (_, sign) => sign === "n" ? "\n" : sign)];
  };

  const goesOn = (line) => /(?<!\\)(\\\\)*\\$/.test(line); // of two backslashes, one escapes the other
  // expanded returns what a shell makes of a here-document whose end has no quotes.
  const expanded = (text, end) => text.replace(/\\([\\$`]|\n)|\$(\w+|[({?$!#@*-])|`/g, (what, escaped) => {
    if (!escaped) throw new Error(`there are no variables and substitutions here, and the here-document has ${what}: <<'${end}' keeps that as it stands.`);
    return escaped === "\n" ? "" : escaped;
  });

  // pasted returns the lines of a text from a page or a shell: a command that goes on below
  // a backslash is one line, and what one reads from the lines below it is a file. A shell
  // waits for the end of those lines; here it is missing.
  const pasted = (text) => {
    const all = text.split(/\r?\n/), found = [];
    while (all.length) {
      const [, prompt, first] = /^(\$ )?([^]*)$/.exec(all.shift().trim());
      const below = (line) => line.replace(prompt ? /^> ?/ : "", ""); // a shell's prompt there
      let line = first;
      while (goesOn(line) && all.length) line = line.slice(0, -1) + below(all.shift()).trim();
      const [mark, tabs, quote, , end] = /(?<!<)<<(-?)\s*(\\|(['"]?))(\w+)\3/.exec(line) ?? [];
      if (mark) {
        const bare = (line) => below(line).replace(tabs ? /^\t+/ : "", "");
        const file = "manifests/pasted.yaml", size = all.map(bare).findIndex((line, i, before) => line === end && (quote || !goesOn(before[i - 1] ?? "")));
        if (size < 0) throw new Error(`the here-document goes on until a line ${end}, which is missing.`);
        const body = all.splice(0, size + 1).slice(0, size).map(bare).join("\n") + "\n";
        found.push(write(file, quote ? body : expanded(body, end)));
        line = line.replace(mark, "").replace(/^cat\s*\|\s*/, "").replace(/(-f|--filename)[ =]?-(?=\s|$)/, `$1 ${file}`).trim();
      }
      if (line && !line.startsWith("#")) found.push(line);
    }
    return found;
  };

  // possible returns the verbs that make sense where a scene has come to, with its own
  // machines and images. Those that come first of their kind are offered as buttons.
  const possible = (scene, manifests) => {
    const machines = new Map(), images = new Map();
    let crashed = false, paused = false, jobs = 0, idle = false;
    const addMachine = () => machines.set(`node-${machines.size + 1}`, true);
    const addImage = (name) => { if (!images.has(name)) images.set(name, true); };
    for (let i = Number(/^# nodes: (\d+)$/m.exec(scene)?.[1] ?? 1); i > 0; i--) addMachine();
    if (/^# controllers: none$/m.test(scene)) idle = true;
    for (const line of scene.split("\n")) {
      if (line.startsWith("$ ")) {
        for (const [, name] of line.matchAll(/--image[= ](\S+)/g)) addImage(name);
        for (const [, file] of line.matchAll(/-f manifests\/(\S+)/g)) {
          for (const [, name] of (manifests[file] ?? "").matchAll(/^[ -]*image: *["']?([^\s"']+)/gm)) addImage(name);
        }
        if (/ &$/.test(line)) jobs++;
        continue;
      }
      const [verb, ...rest] = line.split(" ");
      if (verb === "add") addMachine();
      else if ((verb === "cut" || verb === "stop") && machines.has(rest[0])) machines.set(rest[0], false);
      else if (verb === "start") machines.set(rest[0], true);
      else if (verb === "stop") jobs = rest.length ? jobs - 1 : 0;
      else if (verb === "fail" || verb === "heal") images.set(rest[1], verb === "heal");
      else if (verb === "pause" || verb === "go-on") paused = verb === "pause";
      else if (verb === "crash" || verb === "restart") crashed = verb === "crash";
    }
    const having = (map, well) => [...map.keys()].filter((name) => map.get(name) === well);
    const up = having(machines, true).reverse();
    return [
      ["advance 30s"],
      having(images, true).map((name) => "fail image " + name),
      having(images, false).map((name) => "heal image " + name),
      up.map((name) => "cut " + name),
      up.map((name) => "stop " + name),
      having(machines, false).map((name) => "start " + name),
      ["add node"],
      idle ? [] : crashed ? ["restart"] : ["crash", "crash after a write"],
      idle || crashed ? [] : [paused ? "go-on" : "pause"],
      idle ? [] : ["drop watches", "resync"],
      jobs > 0 ? ["stop"] : [],
    ];
  };
  return { part, verbs, isVerb, isStep, printed, upTo, fresh, edit, edited, write, written, goesOn, pasted, possible };
})();
