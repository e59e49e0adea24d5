// An exercise can be written on its page: the editor and the compiler are loaded when a
// reader asks for them.
{
  const number = /\/exercises\/(\w+)\.md\.html$/.exec(location.pathname)?.[1];
  const above = document.querySelector(".try");
  if (location.protocol !== "file:" && above && writable.includes(number)) {
    void load("write.css").catch(() => { });
    const box = element("div", { className: "write" });
    const away = () => box.replaceChildren("The editor couldn’t be fetched from this page’s server. Is there a network?");
    const ask = () => load("code.js", "write.js").then(() => writeIn(box, number), away);
    box.append(element("button", { type: "button", textContent: "Write it here", onclick: ask }));
    above.after(box);
  }
}
