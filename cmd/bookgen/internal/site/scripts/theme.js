// A button that goes from the system's choice of paper to light to dark. The
// head of each page applies the choice before anything is painted.
{
  const next = { auto: "light", light: "dark", dark: "auto" };
  const nav = document.querySelector(".running nav");
  const button = element("button", { type: "button", id: "theme" });

  const show = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Paper: ${theme}`;
    button.title = `Change to ${next[theme]}`;
    button.value = theme;
  };

  button.onclick = () => {
    const theme = next[button.value];
    preferences.set("theme", theme === "auto" ? "" : theme);
    show(theme);
  };
  show(preferences.get("theme") in next ? preferences.get("theme") : "auto");
  nav?.append(" ", button);
}
