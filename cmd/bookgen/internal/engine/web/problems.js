// problems finds in a manifest the lines that an answer of kubectl speaks of. What names
// no line stands at the first.
const problems = (answer, text) => {
  const all = text.split("\n");
  // place follows a path of fields, "spec.template.spec.containers[0].image", down the lines.
  const place = (path) => {
    let at = -1;
    for (const field of path.split(/\.|\[\d+\]\.?/).filter(Boolean)) {
      const next = all.findIndex((line, i) => i > at && new RegExp(`^[\\s-]*["']?${field.replace(/\W/g, "\\$&")}["']?\\s*:`).test(line));
      if (next < 0) break;
      at = next;
    }
    return at + 1;
  };
  const found = [];
  for (const line of answer.split("\n")) {
    if (!/error|invalid|warning/i.test(line)) continue;
    const numbered = /\byaml: line (\d+)/.exec(line);
    const paths = [...line.matchAll(/unknown field "([^"]+)"/g), ...line.matchAll(/(?:^\* |is invalid: |[;,[] ?)([a-z]\w*(?:[.[][\w\].[]+)+): (?:Invalid|Required|Unsupported|Forbidden|Duplicate)/g)].map(([, path]) => path);
    const at = numbered ? [Number(numbered[1])] : paths.map(place).filter(Boolean);
    found.push({ line: at[0] ?? 1, message: line });
    for (const more of at.slice(1)) found.push({ line: more, message: "and this" });
  }
  return found;
};
