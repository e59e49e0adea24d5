// Reloads the page when the book was built again, and shows what is wrong
// with it until then. builtBy and newsPath are given by the server.
let overlay = null

function show(problems) {
  overlay?.remove()
  overlay = null
  if (!problems) return
  overlay = document.createElement("pre")
  overlay.setAttribute("role", "alert")
  overlay.style.cssText = "position:fixed;inset:auto 0 0 0;max-height:60vh;overflow:auto;margin:0;" +
    "padding:1rem 1.5rem;z-index:9999;background:#2b0f0f;color:#ffe9e3;font:14px/1.5 monospace;" +
    "white-space:pre-wrap;border-top:4px solid #e0533d"
  overlay.textContent = "Not built; this is the last good page.\n\n" + problems
  document.body.append(overlay)
}

new EventSource(newsPath).onmessage = (event) => {
  const news = JSON.parse(event.data)
  if (news.build !== builtBy) return location.reload()
  show(news.problems)
}
