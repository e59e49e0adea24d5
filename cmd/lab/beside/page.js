// Each run is fetched as a whole, and opened at the step in which the two differ.
for (const root of document.querySelectorAll("[data-record]")) {
  const name = document.getElementById(root.parentElement.getAttribute("aria-labelledby")).textContent;
  fetch(root.dataset.record)
    .then((response) => {
      if (!response.ok) throw new Error(response.statusText);
      return response.json();
    })
    .then(({ entries, versions }) => lookView(root, {
      name, whole: true, at: Number(root.dataset.at) || undefined,
      follow: (take) => { take(entries); return () => {}; },
      versions: async (kind, key) => versions[`${kind} ${key}`] ?? [],
    }))
    .catch((error) => { root.textContent = `The record can’t be read: ${error.message}. Does lab still run?`; });
}
