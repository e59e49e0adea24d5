// A field that narrows the index of declarations.
{
  const letters = document.querySelector(".letters");
  const symbols = [...document.querySelectorAll(".symbol")];
  if (letters && symbols.length) {
    const field = element("input", { type: "search", id: "filter" });
    const status = element("p", { className: "status", role: "status" });

    const narrow = () => {
      const words = field.value.toLowerCase().split(/\s+/);
      let left = 0;
      for (const symbol of symbols) {
        const text = symbol.textContent.toLowerCase();
        symbol.hidden = !words.every((word) => text.includes(word));
        left += symbol.hidden ? 0 : 1;
      }
      for (const letter of document.querySelectorAll(".letter")) {
        letter.hidden = !letter.querySelector(".symbol:not([hidden])");
      }
      status.textContent = field.value ? `${left} of ${symbols.length} declarations` : "";
    };

    field.oninput = narrow;
    letters.before(element("label", { className: "filter" }, "Narrow the list", field), status);
  }
}
