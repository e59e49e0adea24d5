// An object as kubectl prints it, in lines, and how two such texts differ.
const yaml = (() => {
  const first = ["apiVersion", "kind", "metadata", "spec", "status"];
  const place = (key) => (first.indexOf(key) + 1) || 9;
  const byPlace = (top) => ([a], [b]) => (top ? place(a) - place(b) : 0) || (a < b ? -1 : 1);
  const isPlain = (text) => /^(?:[A-Za-z_/.$<(]|-[^\s-]|--\w)[^\n]*$/.test(text) && !/: | #|[\s:]$/.test(text)
    && !/^(?:true|false|null|yes|no|on|off|y|n|[-+.\d][\d._eE+-]*)$/i.test(text);
  const scalar = (value) => typeof value === "string" && isPlain(value) ? value : JSON.stringify(value);
  const isEmpty = (value) => Object.keys(value).length === 0;

  const lines = (value, indent, out, top) => {
    const begin = (head, inner, deeper) => {
      if (inner === null || typeof inner !== "object") out.push(head + " " + scalar(inner));
      else if (isEmpty(inner)) out.push(`${head} ${Array.isArray(inner) ? "[]" : "{}"}`);
      else {
        out.push(head);
        lines(inner, Array.isArray(inner) ? indent : deeper, out);
      }
    };
    if (!Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value).sort(byPlace(top))) {
        if (key !== "managedFields") begin(`${indent}${scalar(key)}:`, inner, indent + "  ");
      }
      return out;
    }
    for (const item of value) {
      if (item === null || typeof item !== "object" || isEmpty(item)) begin(`${indent}-`, item, "");
      else {
        const inner = lines(item, indent + "  ", []);
        out.push(`${indent}- ${inner[0].slice(indent.length + 2)}`, ...inner.slice(1));
      }
    }
    return out;
  };

  // diff says of each line of both texts whether it is in both (" "), went ("-") or came
  // ("+"): by the longest common subsequence of what is between their equal ends.
  const diff = (a, b) => {
    let head = 0, tail = 0;
    while (head < a.length && a[head] === b[head]) head++;
    while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
    const [from, to] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
    const best = Array.from({ length: from.length + 1 }, () => new Uint16Array(to.length + 1));
    for (let i = from.length - 1; i >= 0; i--) {
      for (let j = to.length - 1; j >= 0; j--) {
        best[i][j] = from[i] === to[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
      }
    }
    const out = a.slice(0, head).map((line) => [" ", line]);
    for (let i = 0, j = 0; i < from.length || j < to.length;) {
      if (i < from.length && j < to.length && from[i] === to[j]) { out.push([" ", from[i++]]); j++; }
      else if (i < from.length && (j === to.length || best[i + 1][j] >= best[i][j + 1])) out.push(["-", from[i++]]);
      else out.push(["+", to[j++]]);
    }
    return [...out, ...a.slice(a.length - tail).map((line) => [" ", line])];
  };

  // blamed returns the lines of the last version, each with the version that wrote it;
  // those that were there at first have none.
  const blamed = (versions) => {
    const all = versions.map((v) => v.lines);
    let by = all[0].map(() => undefined);
    for (let i = 1; i < all.length; i++) {
      const next = [];
      let old = 0;
      for (const [op] of diff(all[i - 1], all[i])) {
        if (op === "+") next.push(versions[i]);
        else if (op === " ") next.push(by[old++]);
        else old++;
      }
      by = next;
    }
    return all.at(-1).map((line, i) => ({ line, by: by[i] }));
  };
  return { lines: (object) => lines(object, "", [], true), diff, blamed };
})();
