// The files of a cluster in a page, in an editor beside it. A file that is saved is a line
// of the run, so that a link has it.
const playFiles = (place) => (goFurther, typed) => {
  let all = {}, code, shown = "", draft = new Map();
  const list = element("p", { className: "words" });
  const below = element("p", { className: "words" });
  const name = element("input", { ariaLabel: "The new file's name", placeholder: "new.yaml", size: 14, spellcheck: false, autocapitalize: "off" });
  const says = element("p", { className: "wrong", hidden: true });
  says.setAttribute("role", "alert");
  const say = (text) => {
    says.textContent = text;
    says.hidden = !text;
  };
  const area = element("div", { className: "code-area" });
  const box = element("section", { ariaLabel: "Files" }, list, area, says, below);
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
  const changed = () => code && draft.get(shown) !== undefined && draft.get(shown) !== (texts()[shown] ?? "");
  const draw = () => {
    const names = [...new Set([...Object.keys(texts()), ...draft.keys()])].sort();
    list.replaceChildren(...names.map((one) => {
      const button = buttonOf(one + (one === shown && changed() ? ", changed" : ""), () => show(one));
      if (one === shown) button.setAttribute("aria-current", "true");
      return button;
    }), name, buttonOf("new file", () => add()));
    below.hidden = !shown;
  };
  const add = () => {
    const wanted = /\./.test(name.value) ? name.value : (name.value || "new") + ".yaml";
    if (!isName(wanted)) return say("A file’s name has letters, digits, dots and dashes only.");
    name.value = "";
    if (!(wanted in texts())) draft.set(wanted, draft.get(wanted) ?? "");
    void show(wanted);
  };
  name.onkeydown = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  };
  // save writes the file if it is another than before, and does what follows that.
  const save = (...then) => {
    const now = code.text(), to = "manifests/" + shown;
    const line = lines.write(to, now.endsWith("\n") || !now ? now : now + "\n");
    const added = [...(now === (texts()[shown] ?? "") ? [] : [line]), ...then];
    code.mark([]);
    if (added.length) void goFurther(...added);
  };
  const apply = () => save(`kubectl apply -f manifests/${shown}`);
  below.append(buttonOf("apply", apply), buttonOf("save", () => save()), buttonOf("delete", () => save(`kubectl delete -f manifests/${shown}`)),
    " ctrl-Enter applies; Escape, then Tab, leaves the editor.");

  const show = async (file) => {
    try {
      await load("code.js");
    } catch {
      return say("The editor couldn’t be fetched from this page’s server. Is there a network?");
    }
    say("");
    shown = file;
    const text = draft.get(file) ?? texts()[file] ?? "";
    const options = ["manifests/" + file, text];
    if (code) code.open(...options);
    else {
      code = codeEditor({
        label: options[0], text, language: "yaml", run: apply,
        changed() {
          draft.set(shown, code.text());
          draw();
        },
      });
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
      if (!(file in texts())) return false;
      void show(file);
      return true;
    },
    // played shows what the last line's answer says of the file that is open.
    played(added, answer) {
      for (const line of added) if (line.startsWith("write manifests/")) draft.delete(lines.written(line)[0].slice("manifests/".length));
      draw();
      const last = added.at(-1) ?? "";
      if (code && last.endsWith(" manifests/" + shown)) code.mark(answer.includes("\n[exit ") || /^Warning: /m.test(answer) ? problems(answer, code.text()) : []);
    },
  };
};
