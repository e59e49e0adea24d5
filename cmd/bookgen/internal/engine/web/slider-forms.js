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
// refusal says why the values of a form can't be drawn, if that is known before they are.
const refusal = (form) => Object.entries(JSON.parse(form.dataset.never)).every(([name, value]) => form[name].value === value) ? form.dataset.why : "";
// A figure that is closed until its reader has predicted has its form at the question:
// what is drawn when it opens is the run with the reader's own values.
const setFirst = (form, closed, opened) => {
  let question = closed;
  while (!question.matches(".predict")) question = question.previousElementSibling;
  question.after(form);
  const says = form.querySelector("[role=status]");
  const say = () => { says.textContent = refusal(form) || "Set your own values: the run below will have them."; };
  say();
  let own = false;
  form.oninput = ({ target }) => {
    own = true;
    if (target.nextElementSibling) target.nextElementSibling.value = target.value;
    say();
  };
  new MutationObserver((_, observer) => {
    observer.disconnect();
    says.textContent = "";
    opened(own);
  }).observe(closed, { attributeFilter: ["hidden"] });
};
