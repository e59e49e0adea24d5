// Tab, as in a shell: of a line up to the caret the last word is completed.
const completion = (() => {
  // split returns a command's words, in their quotes, with the one that is being typed
  // at the end; of a line that ends within a quote, nothing.
  const split = (line) => {
    const words = [];
    let last = "";
    const rest = line.replace(/((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+)(\s*)/g, (_, word, space) => {
      if (space) words.push(word);
      else last = word;
      return "";
    });
    return rest.trim() ? undefined : [...words, last];
  };

  // answered reads what kubectl says of the completions of a line: one a line, and a
  // number, whose bit 8 says that they are the ends of names of files.
  const answered = (text, files) => {
    const printed = lines.printed(text);
    const end = printed.findIndex((line) => /^:\d+$/.test(line));
    if (end < 0) return [];
    const found = printed.slice(0, end).filter(Boolean);
    return printed[end].slice(1) & 8 ? files.filter((name) => found.some((ext) => name.endsWith("." + ext))) : found;
  };

  // of returns what may take the place of the last word of a line. It asks kubectl by
  // a function, which plays the line that it is given and returns what that prints.
  const of = async (line, { possible, files, ask }) => {
    const typed = line.split("&& ").pop().trimStart();
    const words = split(typed);
    if (!words) return { last: "", found: [] };
    let last = words.at(-1), found;
    if (words[0] !== "kubectl" || words.length === 1) {
      const begun = words.slice(0, -1).map((word) => word + " ").join("");
      const whole = ["kubectl get", "edit manifests", ...possible].filter((verb) => verb.startsWith(begun));
      found = whole.map((verb) => verb.slice(begun.length).split(" ")[0]);
      if (begun === "edit ") found = files;
    } else if (words.at(-2) === ">") found = files;
    else {
      found = answered(await ask(`$ kubectl __completeNoDesc ${words.slice(1, -1).join(" ")} ${last || "''"}`), files);
      last = last.replace(/^--[^=]+=/, "");
    }
    return { last, found: [...new Set(found)].filter((word) => word.startsWith(last)).sort() };
  };

  // shared returns what words begin with alike.
  const shared = (words) => words.reduce((a, b) => {
    let n = 0;
    while (n < a.length && a[n] === b[n]) n++;
    return a.slice(0, n);
  });
  return { of, shared };
})();
