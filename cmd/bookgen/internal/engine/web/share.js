// A run for others: as an issue, or as commands for a cluster of one's own.
const shared = (() => {
  // fence returns a block of Markdown that its text can't end.
  const fence = (kind, text) => {
    const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((found) => found.length));
    const ticks = "`".repeat(longest + 1);
    return `${ticks}${kind}\n${text.trimEnd()}\n${ticks}\n`;
  };
  // told returns a line as people read it: files whole, the rest as it is.
  const told = (line) => {
    if (!line.startsWith("write ")) return line;
    const [file, text] = lines.written(line);
    return `# ${file}:\n${text.trimEnd()}`;
  };
  const issue = ({ title, text, engine, address, isPlayed }) => [
    `It begins with *${title}*; then:\n`,
    fence("console", text.split("\n").map(told).join("\n")),
    `[Play it](${address}) in a page: ${isPlayed ? `this is what Reconcile's engine ${engine} prints` : "this is what a link claims, and it wasn't played"}.\n`,
  ].join("\n");

  // What comes in a link is somebody else's, and a shell would do all that it says: words
  // get quotes, and what isn't kubectl's or leads out of the folder is a comment.
  const quoted = (word) => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  const isInside = (file) => !/^\/|(^|\/)\.\.(\/|$)/.test(file);
  const kubectl = (line) => {
    const all = [...line.matchAll(/(<<<|&&|[&>])|((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\<>&])+)/g)].map(([, sign, word]) => sign ? { sign } : {
      typed: word, word: word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (_, single, double, escaped) => single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped),
    });
    const form = all.map(({ sign, word }) => sign ?? (word === "kubectl" ? "k" : "w")).join(" ");
    const files = all.flatMap(({ sign }, i) => sign === ">" ? [all[i + 1]?.word ?? ""] : []);
    if (!/^k( [kw]| (<<<|>) [kw])*( && k( [kw]| (<<<|>) [kw])*)*( &)?$/.test(form) || !files.every(isInside)) return "# here: " + line;
    return all.map(({ sign, word, typed }) => sign ?? (/^[\w@%+=:,./{}-]+$/.test(typed) ? typed : quoted(word))).join(" ");
  };
  const heredoc = (file, text) => {
    if (!isInside(file)) return "# here: write " + file;
    let end = "END";
    while (text.split("\n").includes(end)) end += "_";
    const folder = file.includes("/") ? `mkdir -p ${quoted(file.replace(/\/[^/]*$/, ""))}\n` : "";
    return `${folder}cat > ${quoted(file)} <<'${end}'\n${text.trimEnd()}\n${end}`;
  };
  const secondsOf = (time) => {
    const units = { h: 3600, m: 60, s: 1, ms: 1e-3 };
    return Math.ceil([...time.matchAll(/([\d.]+)(h|ms|m|s)/g)].reduce((all, [, n, unit]) => all + n * units[unit], 0));
  };
  // command returns a line for a shell, where a cluster has it.
  const command = (line) => {
    if (line.startsWith("kubectl ")) return kubectl(line);
    if (line.startsWith("write ")) return heredoc(...lines.written(line));
    const [verb, ...rest] = line.split(" ");
    if (verb === "advance" && rest[0] !== "until") return `sleep ${secondsOf(rest[0])}`;
    if (verb === "stop" && !rest.length) return "kill %1 # ctrl-C to what runs in the background";
    return "# here: " + line;
  };
  // commands returns a script: files of the page that the lines name come first.
  const commands = ({ all, files, address }) => {
    const used = Object.entries(files).filter(([name]) => all.some((line) => line.includes("manifests/" + name)));
    return ["#!/bin/bash", "# " + address, ...used.map(([name, text]) => heredoc("manifests/" + name, text)), ...all.map(command)].join("\n") + "\n";
  };
  return { issue, commands };
})();
