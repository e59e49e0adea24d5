// Reloads the page when the book was built again; shows until then that it is
// being built at first, or what is wrong with it. builtBy and newsPath are given
// by the server.
let shown = null

function show(text, role, style) {
  shown?.remove()
  shown = null
  if (!text) return
  shown = document.createElement("pre")
  shown.setAttribute("role", role)
  shown.style.cssText = "position:fixed;inset:auto 0 0 0;max-height:60vh;overflow:auto;margin:0;z-index:9999;" +
    "white-space:pre-wrap;" + style
  shown.textContent = text
  document.body.append(shown)
}

const problemStyle = "padding:1rem 1.5rem;background:#2b0f0f;color:#ffe9e3;font:14px/1.5 monospace;border-top:4px solid #e0533d"
const noticeStyle = "padding:.25rem 1rem;background:var(--paper-2,Canvas);color:var(--ink,CanvasText);" +
  "font:13px/1.4 system-ui,sans-serif;text-align:center;border-top:1px solid var(--rule,currentColor)"

new EventSource(newsPath).onmessage = (event) => {
  const news = JSON.parse(event.data)
  if (news.build !== builtBy) return location.reload()
  if (news.problems) show("Not built; this is the last good page.\n\n" + news.problems, "alert", problemStyle)
  else show(news.notice, "status", noticeStyle)
}
