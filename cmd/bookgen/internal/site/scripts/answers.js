// A choice for who reads, not works: all answers of all chapters shown.
{
  const answers = document.querySelectorAll("details.answer");
  const place = document.querySelector(".opener .meta");
  if (answers.length && place) {
    const box = element("input", { type: "checkbox", id: "answers" });
    const apply = () => answers.forEach((answer) => { answer.open = box.checked; });
    box.checked = preferences.get("answers") === "shown";
    box.onchange = () => {
      preferences.set("answers", box.checked ? "shown" : "");
      apply();
    };
    if (box.checked) apply();
    place.append(element("label", {}, box, "show the answers"));
  }
}
