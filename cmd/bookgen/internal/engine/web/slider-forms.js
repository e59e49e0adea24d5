const sliderForm = (figure) => {
  const box = element("div", { innerHTML: sliderForms[figure.dataset.slider] });
  const form = box.firstElementChild;
  const begin = () => load("player.js", "slider.js").then(() => slide(form));
  const below = () => figure.insertBefore(form, figure.querySelector(":scope > figcaption"));
  const closed = figure.closest(".predicted[hidden]");
  if (closed) return setFirst(form, closed, (own) => below() && own && begin());
  form.addEventListener("input", begin, { once: true });
  below();
};
// A figure that is closed until its reader has predicted has its form at the question:
// what is drawn when it opens is the run with the reader's own values.
const setFirst = (form, closed, opened) => {
  let question = closed;
  while (!question.matches(".predict")) question = question.previousElementSibling;
  question.after(form);
  const says = form.querySelector("[role=status]");
  says.textContent = "Set your own values: the run below will have them.";
  let own = false;
  form.oninput = ({ target }) => {
    own = true;
    if (target.nextElementSibling) target.nextElementSibling.value = target.value;
  };
  new MutationObserver((_, observer) => {
    observer.disconnect();
    says.textContent = "";
    opened(own);
  }).observe(closed, { attributeFilter: ["hidden"] });
};
