const sliderForm = (figure) => {
  const box = element("div", { innerHTML: sliderForms[figure.dataset.slider] });
  const form = box.firstElementChild;
  form.addEventListener("input", () => load("player.js", "slider.js").then(() => slide(form)), { once: true });
  figure.insertBefore(form, figure.querySelector(":scope > figcaption"));
};
