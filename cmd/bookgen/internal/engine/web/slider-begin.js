// A figure that can be drawn anew has a form below it; what draws is loaded when that is
// touched.
if (location.protocol !== "file:" && document.querySelector("figure[data-slider]")) { // nothing can be fetched there
  load("slider-forms.js").then(() => {
    for (const figure of document.querySelectorAll("figure[data-slider]")) sliderForm(figure);
  });
}
