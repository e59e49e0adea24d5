// A choice for who reads, not works: all answers of all chapters shown.
{
  const answers = document.querySelectorAll("details.answer");
  const box = document.getElementById("answers");
  if (box) {
    const apply = () => answers.forEach((answer) => { answer.open = box.checked; });
    box.checked = preferences.get("answers") === "shown";
    box.onchange = () => {
      preferences.set("answers", box.checked ? "shown" : "");
      apply();
    };
    if (box.checked) apply();
  }
}
