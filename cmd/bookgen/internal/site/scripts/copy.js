// Copy buttons on code, on output, and on what to type; a whole file can be
// downloaded, too.
{
  // What is copied leaves out the faded context, links to pages, and the prompts;
  // of a scene it is what was typed.
  const textOf = (block) => {
    const typed = [...block.querySelectorAll(".scene .typed kbd")].map((command) => command.textContent);
    if (typed.length) return typed.join("\n") + "\n";
    const copy = block.cloneNode(true);
    copy.querySelectorAll(".ctx, .back, summary, figcaption").forEach((other) => other.remove());
    return copy.textContent.replace(/^\$ /gm, "").replace(/^\n+|\s+$/g, "") + "\n";
  };

  // From a folder there is no clipboard to write to; the selection still works.
  const write = async (text, block) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection().selectAllChildren(block);
      document.execCommand("copy");
    }
  };

  const button = (block) => {
    const made = element("button", { type: "button", className: "copy", textContent: "copy" });
    made.onclick = async () => {
      await write(textOf(block), block);
      made.textContent = "copied";
      setTimeout(() => { made.textContent = "copy"; }, 1500);
    };
    return made;
  };

  // A file's listing is at its own name, and .html.
  const download = (frame) => element("a", {
    className: "copy", textContent: "download",
    download: decoded(location.pathname.split("/").pop().replace(/\.html$/, "")),
    href: URL.createObjectURL(new Blob([textOf(frame)])),
  });

  for (const frame of document.querySelectorAll("figure.code, figure.output, .try")) {
    const block = frame.querySelector(":scope > pre");
    if (!block) continue;
    let caption = frame.querySelector(":scope > figcaption");
    if (!caption && frame.matches("figure")) frame.prepend(caption = element("figcaption"));
    const made = button(frame.matches(".whole") ? frame : block); // whole, with what is folded
    made.ariaLabel = `copy ${caption?.querySelector(".file")?.textContent ?? ""}`.trim();
    if (caption) caption.append(made);
    else frame.prepend(made);
    if (frame.matches(".whole")) made.before(download(frame));
  }
}
