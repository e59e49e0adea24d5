// An exercise can be written on its page: the editor and the compiler are loaded when a
// reader asks for them.
{
  const number = /\/exercises\/(\w+)\.md\.html$/.exec(location.pathname)?.[1];
  const above = document.querySelector(".try");
  if (location.protocol !== "file:" && above && writable.includes(number)) {
    const box = element("div", { className: "write" });
    const ask = element("button", { type: "button", textContent: "Write it here", onclick: () => load("code.js", "write.js", "write.css").then(() => writeIn(box, number)) });
    box.append(ask);
    above.after(box);
  }
}
