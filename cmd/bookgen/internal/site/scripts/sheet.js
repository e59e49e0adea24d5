// A prediction is written and judged on its page, and kept in the files that lab has for
// it.
{
  const sheet = JSON.parse(document.getElementById("sheet").textContent);
  const { number, chapter, head, given, lines, rows, predictions } = sheet;
  const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });
  const box = element("div", { className: "write" });
  const belowHead = (text) => text.replace(/^(#.*\n)+\n*/, "");

  const predict = async () => {
    const file = `mine/${number}.txt`, board = boardForm();
    const notice = element("p", { className: "notice" }), output = element("div");
    for (const one of [notice, output]) one.setAttribute("aria-live", "polite");
    const text = element("textarea", { value: given, rows: Math.max(lines.length + 1, 6), spellcheck: false, ariaLabel: "Your prediction" });
    const inFull = () => `${head}\n\n${text.value}`;
    let typed = false, mine = given, record = {}, turns = Promise.resolve();
    const inTurn = (act) => turns = turns.catch(() => { }).then(act);
    const lost = () => notice.replaceChildren(notKept);
    const take = () => inTurn(async () => {
      const files = await shelf.read();
      record = JSON.parse(files[progressFile] ?? "{}").exercises?.[number] ?? {};
      if (files[file] === undefined || typed) return;
      const before = text.value;
      text.value = belowHead(files[file]);
      if (text.value !== before) notice.replaceChildren(...[given, text.value].includes(mine) ? [] : ["This is what another tab has written. ", again()]);
    }).catch(lost);
    const again = () => button("Take mine again", () => { text.value = mine; return keep(); });
    const shelf = shelfOf(chapter, take);
    // keep keeps the text, and changes what is remembered of the exercise. What another
    // tab has kept of others meanwhile stays.
    const keep = (change = () => { }) => inTurn(async () => {
      for (let done = false, next; !done; record = next) {
        const files = { ...await shelf.read() };
        const progress = JSON.parse(files[progressFile] ?? `{"version": 2, "exercises": {}}`);
        next = progress.exercises[number] ??= {};
        next.started ??= new Date();
        change(next);
        typed = false;
        done = await shelf.write({ ...files, [file]: inFull(), [progressFile]: JSON.stringify(progress) });
      }
      notice.replaceChildren();
    }).catch(() => {
      typed = text.value !== given;
      change(record);
      lost();
    });
    const shows = (...what) => output.replaceChildren(...what);
    const pre = (said) => element("pre", {}, ...pressable(said, number, (verb, ...flags) => does[verb](...flags)));
    const why = ({ line }) => [...document.getElementById("L" + line).children].filter((part) => !part.matches("summary, .output")).map((part) => part.cloneNode(true));
    const prose = (nodes) => element("div", { className: "why" }, ...nodes);
    const does = {
      test: async (show) => {
        const found = compared(sheet, text.value);
        await keep((record) => tested(record, sheet, found));
        const [before, after] = verdict(sheet, found, !!show);
        shows(pre(before), ...found.why < 0 ? [] : [prose(why(predictions[found.why]))], pre(after));
        await board.tell();
      },
      hint: async () => {
        const hints = [...document.querySelectorAll(".hint")], before = record.hints ?? 0;
        await keep((record) => { record.hints = Math.min((record.hints ?? 0) + 1, hints.length); });
        shows(...hints.slice(before < hints.length ? before : 0, record.hints).flatMap((hint) => [
          pre(hint.querySelector("summary").textContent), prose([...hint.cloneNode(true).children].slice(1))]),
        ...record.hints === hints.length ? [pre(`That was the last hint. The answer: go run ./cmd/lab exercise solution ${number}\n`)] : []);
        await board.tell();
      },
      solution: async () => {
        await keep((record) => { record.peeked ||= !record.passed; });
        shows(pre(lines.join("\n")));
      },
      reset: async () => {
        mine = text.value;
        text.value = given;
        await keep((record) => {
          for (const name in record) if (!["peeked", "hints", "attempts"].includes(name)) delete record[name];
          record.started = new Date();
        });
        shows();
        notice.append("It is as it was. ", again());
      },
    };
    const fromDisk = (name, loaded) => {
      if (/^# Exercise (\w+)/.exec(loaded)?.[1] !== number) return notice.replaceChildren(`${name} is not loaded: it is not ${file}.`);
      mine = text.value = belowHead(loaded);
      return keep();
    };
    text.oninput = () => {
      typed = true;
      mine = text.value;
      void keep();
    };
    text.onkeydown = (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void does.test(); };
    addEventListener("beforeunload", (event) => { if (typed) event.preventDefault(); });
    await take();
    await keep();
    box.replaceChildren(element("p", {}, `${file} · a ${rows ? "value for each line" : "line for each thing that happens"}; ctrl-Enter tests`), text, element("p", { className: "words" },
      button("Test", () => does.test()), button("Hint", does.hint), button("Show the answer", does.solution), button("Put it back", does.reset),
      ...onDisk(".txt", () => [number + ".txt", inFull()], fromDisk)), notice, output, board.box);
    text.focus();
  };
  box.append(button("Predict it here", () => load("write-shelf.js").then(predict)));
  void load("write.css");
  document.querySelector(".try").after(box);
}
