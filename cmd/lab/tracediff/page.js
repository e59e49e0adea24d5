// Each run is fetched as a whole, and opened at the step in which the two differ, with what
// led to it.
for (const root of document.querySelectorAll("[data-record]")) {
  const name = root.previousElementSibling.textContent, at = Number(root.dataset.at) || undefined;
  fetch(root.dataset.record)
    .then((response) => {
      if (!response.ok) throw new Error(response.statusText);
      return response.json();
    })
    .then(({ entries, versions }) => {
      const view = lookView(root, {
        name, whole: true, at,
        follow: (take) => { take(entries); return () => {}; },
        versions: async (kind, key) => versions[`${kind} ${key}`] ?? [],
      });
      if (at) view.show({ select: { n: at } });
    })
    .catch((error) => { root.textContent = `The record can’t be read: ${error.message}. Does lab still run?`; });
}
