// What lab says has other commands in it: those of an exercise can be pressed.
const pressable = (text, number, does) => text.split(/(go run \.\/cmd\/lab exercise (?:hint|solution|test|reset|start) \w+(?: --\w+)*)/).map((piece, i) => {
  const [verb, of, ...flags] = i % 2 ? piece.split(" ").slice(4) : [];
  return of === number ? element("button", { type: "button", textContent: piece, onclick: () => does(verb, ...flags) }) : piece;
});

// A file leaves a page and comes as lab has it.
const onDisk = (extension, mine, loaded) => {
  const save = () => {
    const [download, text] = mine();
    const link = element("a", { href: URL.createObjectURL(new Blob([text])), download });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const chosen = element("input", {
    type: "file", accept: extension, hidden: true, ariaLabel: "A file of this exercise", onchange: async () => {
      for (const file of chosen.files) loaded(file.name, (await file.text()).replace(/\r\n?/g, "\n"));
      chosen.value = "";
    },
  });
  const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });
  return [button("Save", save), button("Load", () => chosen.click()), chosen];
};
