// The view of a run that is over, over the page, until the reader closes it.
const openInside = (title, source, closed) => {
  const close = element("button", { type: "button", textContent: "close", onclick: () => dialog.close() });
  const heading = element("h2", { textContent: "Inside " + title });
  const root = element("div");
  const dialog = element("dialog", { className: "inside", ariaLabel: heading.textContent }, element("header", {}, heading, close), root);
  document.body.append(dialog);
  dialog.showModal();
  const view = lookView(root, { whole: true, ...source });
  dialog.onclose = () => {
    view.close();
    dialog.remove();
    closed();
  };
};
