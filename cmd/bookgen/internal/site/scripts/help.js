// The list of keys, each with what it does, and the switch that turns single ones
// off.
function openHelp(keys) {
  const list = element("dl", { className: "keys" });
  for (const [key, does] of Object.entries(keys)) {
    list.append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, does));
  }
  const box = element("input", { type: "checkbox", checked: preferences.get("keys") !== "off" });
  box.onchange = () => preferences.set("keys", box.checked ? "" : "off");
  const close = element("button", { type: "button", textContent: "Close" });
  const title = element("h2", { id: "keys-title", textContent: "Keys" });
  const dialog = element("dialog", { id: "keys", closedBy: "any" }, title, list,
    element("label", {}, box, " single keys work"), close);
  dialog.setAttribute("aria-labelledby", title.id);
  close.onclick = () => dialog.close();
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}
