// Two ways to use a page: its reader sees the decisions, and whoever works through its
// exercises opens them one by one. The head of each page applies the choice before
// anything is painted; an address that ends in #doing makes it. A question waits for
// both of them.
{
  const root = document.documentElement;
  const answers = document.querySelectorAll("details.answer:not(.question)");
  const buttons = document.querySelectorAll(".mode button");
  const apply = () => {
    const doing = root.dataset.mode === "doing";
    answers.forEach((answer) => { answer.open = !doing; });
    buttons.forEach((button) => { button.ariaPressed = (button.value === "doing") === doing; });
  };
  const choose = (mode) => {
    preferences.set("mode", mode);
    if (mode) root.dataset.mode = mode; else delete root.dataset.mode;
    apply();
  };
  buttons.forEach((button) => { button.onclick = () => choose(button.value); });
  const asked = () => { if (location.hash === "#doing") choose("doing"); };
  addEventListener("hashchange", asked);
  asked();
  apply();
}
