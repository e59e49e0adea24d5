// What lab says of a prediction (Exercise.Compare and Comparison.Text, in Go). A test
// holds one beside the other.
const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
const fields = (text) => text.split(/\s+/).filter(Boolean);
const wordsOf = (line) => fields(line.replace(/->|[→,:=]/g, (sign) => ` ${sign === "→" ? "->" : sign} `)).join(" ");

// saidOf returns what a line of a prediction says of a row, under whatever name.
const saidOf = (said, row) => {
  if (!row) return said;
  const words = fields(said), name = fields(row), at = said.replaceAll("\t", "  ").indexOf("  ");
  if (name.every((word, i) => word === words[i])) said = words.slice(name.length).join(" ");
  else if (at >= 0) said = said.replaceAll("\t", "  ").slice(at).trim();
  return said.replace(/^\?/, "").trim();
};

const compared = ({ lines, rows, predictions }, prediction) => {
  const said = linesOf(prediction), differ = [];
  let right = 0;
  for (let i = 0; i < Math.max(said.length, lines.length); i++) {
    const line = lines[i] ?? "", cut = rows ? line.indexOf("  ") : -1;
    const row = cut < 0 ? "" : line.slice(0, cut), runs = cut < 0 ? line : line.slice(cut).trim();
    const says = saidOf(said[i] ?? "", row);
    if (line && wordsOf(says) === wordsOf(runs)) {
      right++;
      continue;
    }
    differ.push({ line: i + 1, row, says, runs });
    if (!rows) break; // with the first one the prediction is about another world
  }
  const why = predictions.findIndex(({ at, first }) => differ.some(({ line, row, says }) => line === at && says && wordsOf(saidOf(first, row)) === wordsOf(says)));
  return { right, differ, why };
};

const quoted = (text) => JSON.stringify(text).replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (sign) => "\\u" + sign.charCodeAt().toString(16).padStart(4, "0"));
const difference = ({ line, row, says, runs }, show) => {
  const at = `Line ${line}` + (row && ` (${row})`);
  if (!runs) return `${at}: you say ${quoted(says)}, and the run is over.`;
  if (!says) return show ? `${at}: the run says ${quoted(runs)}.` : row ? `${at} is blank.` : "It goes on.";
  return show ? `${at}: you say ${quoted(says)}, the run says ${quoted(runs)}.` : `${at} is another in the run: you say ${quoted(says)}.`;
};

// verdict returns what stands before the words on a wrong prediction, and after them.
const verdict = ({ number, title, lines, predictions }, { right, differ, why }, show) => {
  const command = "go run ./cmd/lab exercise ", head = `Exercise ${number} · ${title}\n`;
  if (!differ.length) return [`${head}All ${lines.length} lines are as in the run.\n\nWell done. Compare with the book's answer: ${command}solution ${number}\n`, ""];
  const said = [`${right} of ${lines.length} lines are as in the run.`, ...differ.map((one) => difference(one, show))].join("\n");
  return [`${head}${said}\n` + (why < 0 ? "" : `\nThis is ${quoted(predictions[why].name)}.\n`), show ? "" : `\nWhat the run says: ${command}test ${number} --show\n`];
};

// tested notes a test in lab's record of the exercise (Record.tested).
const tested = (record, { lines, predictions }, { right, differ, why }) => {
  const passed = !differ.length, now = new Date();
  Object.assign(record, {
    attempts: (record.attempts ?? 0) + 1, slipped: !!record.passed && !passed, passed: !!record.passed || passed,
    last: `${right} of ${lines.length} lines`, tested: now, looks_like: why < 0 ? undefined : [predictions[why].name],
  });
  if (passed) record.ended ??= now;
};
