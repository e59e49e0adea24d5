// The files of a cluster in a page, in an editor beside it. A file that is saved is a line
// of the run, so that a link has it.
const playFiles = (place, of) => (goFurther, typed) => {
  let all = {}, code, shown = "";
  const draft = draftsOf(of);
  draft.find();
  const list = element("p", { className: "words" });
  const below = element("p", { className: "words" });
  const name = element("input", { ariaLabel: "The new file's name", placeholder: "new.yaml", size: 14, spellcheck: false, autocapitalize: "off" });
  const says = element("p", { className: "wrong", hidden: true });
  says.setAttribute("role", "alert");
  const say = (text) => {
    if (says.textContent !== text) says.textContent = text;
    says.hidden = !text;
  };
  const told = element("p", { hidden: !draft.texts.size, textContent: `Put back as you left it, and not applied: ${[...draft.texts.keys()].sort().join(", ")}.` });
  told.setAttribute("role", "status");
  const area = element("div", { className: "code-area" });
  const box = element("section", { ariaLabel: "Files" }, told, list, area, says, below);
  place.replaceChildren(box);

  const isName = (text) => /^[\w-][\w.-]{0,60}$/.test(text);
  const texts = () => {
    const now = { ...all };
    for (const line of typed()) {
      const [file, text] = line.startsWith("write manifests/") ? lines.written(line) : [/^edit (manifests\/\S+)/.exec(line)?.[1]];
      if (!file) continue;
      const key = file.slice("manifests/".length);
      now[key] = text ?? lines.edited(now[key] ?? "", line);
    }
    return now;
  };
  const isThere = (file) => Object.hasOwn(texts(), file) || draft.texts.has(file);
  const draw = () => {
    const names = [...new Set([...Object.keys(texts()), ...draft.texts.keys()])].sort();
    list.replaceChildren(...names.map((one) => {
      const button = buttonOf(one + (draft.texts.has(one) ? ", changed" : ""), () => show(one));
      if (one === shown) button.setAttribute("aria-current", "true");
      return button;
    }), name, buttonOf("new file", () => add()));
    below.hidden = area.hidden = !shown;
    discard.hidden = !draft.texts.has(shown);
    told.hidden ||= !draft.texts.size;
  };
  const ended = (text) => text.endsWith("\n") ? text : text + "\n";
  const isSaved = (file, text) => ended(text) === texts()[file];
  // keep keeps what the editor has, if that isn't saved.
  const keep = () => {
    const now = code.text();
    if (isSaved(shown, now)) draft.delete(shown);
    else say(draft.set(shown, now) ?? "");
    draw();
  };
  const add = () => {
    const wanted = /\./.test(name.value) ? name.value : (name.value || "new") + ".yaml";
    if (!isName(wanted)) return say("A file’s name has letters, digits, dots and dashes only.");
    name.value = "";
    if (!isThere(wanted)) draft.set(wanted, "");
    void show(wanted);
  };
  name.onkeydown = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  };
  // save writes the file if it is another than before, and does what follows that.
  const save = (...then) => {
    const now = code.text();
    const added = [...(isSaved(shown, now) ? [] : [lines.write("manifests/" + shown, ended(now))]), ...then];
    code.mark([]);
    if (added.length) void goFurther(...added);
  };
  const apply = () => save(`kubectl apply -f manifests/${shown}`);
  const discard = buttonOf("discard the change", () => {
    draft.delete(shown);
    if (Object.hasOwn(texts(), shown)) return void show(shown);
    shown = "";
    draw();
  });
  below.append(buttonOf("apply", apply), buttonOf("save", () => save()), buttonOf("delete", () => save(`kubectl delete -f manifests/${shown}`)), discard,
    " ctrl-Enter applies; Escape, then Tab, leaves the editor.");

  const show = async (file) => {
    try {
      await load("code.js");
    } catch {
      return say("The editor couldn’t be fetched from this page’s server. Is there a network?");
    }
    say("");
    shown = file;
    const text = draft.texts.get(file) ?? texts()[file] ?? "";
    const options = ["manifests/" + file, text];
    if (code) code.open(...options);
    else {
      code = codeEditor({ label: options[0], text, language: "yaml", run: apply, changed: keep });
      area.append(code.box);
    }
    draw();
    code.focus();
  };

  return {
    box: element("span"), changes: () => [], names: () => [], texts, take() { }, toggle() { }, draw,
    have(files) {
      all = files;
      draw();
    },
    open(path) {
      const file = path.replace(/^manifests\//, "");
      if (!isThere(file)) return false;
      void show(file);
      return true;
    },
    // played shows what the last line's answer says of the file that is open.
    played(added, answer) {
      for (const [file, text] of draft.texts) if (isSaved(file, text)) draft.delete(file);
      draw();
      const last = added.at(-1) ?? "";
      if (code && last.endsWith(" manifests/" + shown)) code.mark(answer.includes("\n[exit ") || /^Warning: /m.test(answer) ? problems(answer, code.text()) : []);
    },
  };
};
