package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// doorPicture is where README has its picture from.
const doorPicture = root + "/docs/inside"

// beneath has the transcript of the page Looking inside alone in the window, and
// beneath it the views of its run, as a page has them.
const beneath = `(async () => {
	const frame = document.createElement("div"), views = document.createElement("div");
	frame.id = "door";
	frame.append(document.querySelector("figure.scene"), views);
	document.body.replaceChildren(frame);
	await load("look.js", "look.css", "look-looking.js");
	document.head.insertAdjacentHTML("beforeend", "<style>#door figure { margin: 0; padding-block: .9rem .3rem } #door :is(figcaption, .verdict, figure button) { display: none } #door .look { --look-tall: 647px } #door .rooms { grid-template-rows: auto 216px auto minmax(0, 1fr) }</style>");
	const { entries, versions } = lookRecords.looking;
	lookView(views, { whole: true, follow(take) { take(entries); }, versions: async (kind, key) => versions[kind + " " + key] ?? [] }).show({ at: 282 });
	document.querySelector(".look nav [value=loops]").click();
	return true;
})()`

// TestDoorPicture opens what README has a picture of: a transcript, and what the loops did
// meanwhile. With -update it takes the picture, on light paper and on dark:
//
//	go test ./cmd/bookgen/internal/browser -run DoorPicture -update
func TestDoorPicture(t *testing.T) {
	tb := newTab(t, 940)
	p := serve(t, book)
	tb.do(chromedp.EmulateViewport(940, 1000, chromedp.EmulateScale(2)))
	for scheme, ending := range map[string]string{"light": ".png", "dark": ".dark.png"} {
		tb.prefer(scheme)
		tb.open(p.url + "looking-inside.html")
		ask[bool](tb, beneath)
		for _, words := range []string{"kubectl delete pod", "Terminating", "Pending", "replicaset", "kubelet node-1"} {
			tb.wait(`document.querySelector("#door").innerText.includes(` + quote(words) + `)`)
		}
		tb.wait(lanesFit)
		keep(t, tb.capture("#door"), doorPicture+ending, 250_000)
	}
	console, _ := tb.said()
	assert.Empty(t, console)
}
