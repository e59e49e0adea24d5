// A report of a mistake names the section that the address does.
for (const report of document.querySelectorAll(".colophon [data-page]")) {
  const { href } = report;
  const page = encodeURIComponent(report.dataset.page);
  report.onclick = () => { report.href = href.replace(page, page + encodeURIComponent(location.hash)); };
}
