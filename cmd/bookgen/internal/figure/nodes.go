package figure

import "slices"

const (
	hostRow  = 33 // a node's heartbeats, its line, and below it how it is
	hostLine = 12 // from the row's top to the line
	hostGap  = 8  // between nodes
	indented = 10 // what is on a node
)

// drawNodes draws what becomes of nodes, and of the Pods on them, a lane each.
func drawNodes(data []byte) (drawing, error) {
	o, err := readOutage(data)
	if err != nil {
		return drawing{}, err
	}
	title := o.Title
	if title == "" {
		title = "Nodes, and the Pods on them"
	}
	return drawing{title, o.draw(wideWidth), o.draw(narrowWidth)}, nil
}

// A logbook is such a drawing in the making.
type logbook struct {
	*outage
	timeline
	when  patchwork
	flags []flag
}

func (o *outage) draw(width float64) *canvas {
	l := &logbook{outage: o, timeline: timeline{canvas: &canvas{width: width}}}
	l.scale()
	l.top = l.drawLegend(l.outageSamples()) + 8 + leading*float64(highest(l.flags))
	l.floor = l.top + l.lanes() + 4
	l.height = l.drawTime()
	l.drawFlags(l.flags, l.top-3, l.floor)

	y := l.top + 4
	for i, h := range l.hosts {
		if i > 0 {
			y += hostGap
		}
		y = l.drawHost(h, y)
	}
	return l.canvas
}

// scale lets time run to the right of the names.
func (l *logbook) scale() {
	var heads []line
	for _, h := range l.hosts {
		heads = append(heads, l.head(h))
		for _, t := range slices.Concat(h.taints, h.pods) {
			heads = append(heads, line{{t.Name, roman}})
		}
	}
	from := widest(heads) + indented + 10
	to := l.width - roman.width(watch(seconds(l.Until)))/2
	l.when = newPatchwork(l.instants, l.Until, from, to)
	l.flags = flags(l.Marks, l.when.at, l.width)
}

// lanes is how high all of them are.
func (l *logbook) lanes() float64 {
	height := hostGap * float64(len(l.hosts)-1)
	for _, h := range l.hosts {
		height += l.rowOf(h) + lanePitch*float64(len(h.taints)+len(h.pods))
	}
	return height + 4
}

// rowOf is how high a node's own row is: of no node, it is a heading.
func (l *logbook) rowOf(h *host) float64 {
	if h.nowhere() {
		return lanePitch
	}
	return hostRow
}

func (l *logbook) head(h *host) line {
	if h.nowhere() {
		return line{{"on no node", italic}}
	}
	return line{{h.name, roman}}
}

// drawTime draws the axis: times where it runs, and how long what is left out
// lasts.
func (l *logbook) drawTime() (bottom float64) {
	d, cuts := "", ""
	for _, t := range l.when.ticks() {
		d += "M" + num(t.x) + " " + num(l.floor) + "v5"
		if t.says != "" {
			l.text(t.x, l.floor+20, middle, "f-u", line{{t.says, roman}})
		}
	}
	var skipped []placed
	for _, p := range l.when.patches {
		if !p.skipped {
			d += "M" + num(p.from) + " " + num(l.floor) + "H" + num(p.to)
			continue
		}
		x, lasts := (p.from+p.to)/2, plain([]line{{{clock(int64((p.high - p.low) * 1e9)), italic}}})[0]
		cuts += slashes(x, l.floor)
		skipped = append(skipped, placed{point{x - lasts.width()/2, l.floor + 37}, lasts})
	}
	l.path("f-y", d)
	if cuts == "" {
		return l.floor + 24
	}
	l.path("f-y", cuts)
	l.apart(skipped)
	l.texts(start, "f-i", skipped...)
	return l.floor + 41
}

// slashes are drawn where time is left out.
func slashes(x, y float64) string {
	return "M" + num(x-6) + " " + num(y+5) + "l6-10m0 10l6-10"
}

// drawHost draws a node's lanes from y on, and returns where they end.
func (l *logbook) drawHost(h *host, y float64) float64 {
	if h.nowhere() {
		l.text(0, y+textRise, start, "f-i", plain([]line{l.head(h)})...)
	} else {
		l.text(0, y+hostLine+4.5, start, "", l.head(h))
		l.drawBeats(h, y+hostLine)
		l.drawReady(h, y+hostLine)
	}
	y += l.rowOf(h)
	for _, t := range h.taints {
		l.text(indented, y+textRise, start, "f-i", plain([]line{{{t.Name, italic}}})...)
		for i, p := range t.Phases {
			l.drawPhase("f-s1", driven[p.Is], p.At, t.end(i, l.Until), y)
		}
		y += lanePitch
	}
	for _, t := range h.pods {
		l.text(indented, y+textRise, start, "", line{{t.Name, roman}})
		for i, p := range t.Phases {
			l.drawPhase("f-s0", p.Is, p.At, t.end(i, l.Until), y)
		}
		y += lanePitch
	}
	return y
}

// driven is the bar of a taint's effect: full, if it drives Pods away. One that
// is no more leaves no cross: it did not live.
var driven = map[string]string{"NoExecute": "ready", "NoSchedule": "created", "PreferNoSchedule": "created"}

// end is when phase i of a tenure was over.
func (t *tenure) end(i int, until int64) int64 {
	if i+1 < len(t.Phases) {
		return t.Phases[i+1].At
	}
	return until
}

// drawPhase draws a bar in a lane that begins at y, where time is shown.
func (l *logbook) drawPhase(look, is string, at, until int64, y float64) {
	from, to := l.when.at(at), l.when.at(until)
	switch is {
	case "":
		return
	case "gone":
		to = from
	}
	for _, seen := range l.when.between(from, to) {
		l.bar(look, is, seen[0], seen[1], y+lanePitch/2)
	}
}

// drawBeats draws the renewals of a node's lease.
func (l *logbook) drawBeats(h *host, y float64) {
	d := ""
	for _, at := range h.beats {
		if l.when.shown(at) && at <= l.Until {
			d += "M" + num(l.when.at(at)) + " " + num(y) + "v-10"
		}
	}
	if d != "" {
		l.path("f-v", d)
	}
}

// drawReady draws the line of a node, and below it how it is.
func (l *logbook) drawReady(h *host, y float64) {
	var words []placed
	for i, p := range h.ready {
		until := l.Until
		if i+1 < len(h.ready) {
			until = h.ready[i+1].At
		}
		x := l.when.at(p.At)
		words = append(words, placed{point{x + flagGap, y + 15}, line{{conditions[p.Is], roman}}})
		if p.Is == "gone" {
			l.bar("f-s3", "gone", x, x, y)
			continue
		}
		for _, seen := range l.when.between(x, l.when.at(until)) {
			l.path(lines[p.Is], "M"+num(seen[0])+" "+num(y)+"H"+num(seen[1]))
		}
	}
	words = slices.DeleteFunc(words, func(p placed) bool { return p.line[0].text == "" })
	l.apart(words)
	l.texts(start, "f-u f-c", words...)
}

// lines are those of a node's conditions.
var lines = map[string]string{"True": "f-s3 f-k", "False": "f-s3", "Unknown": "f-s3 f-d", "": "f-q"}

// outageSamples are what there is on this drawing.
func (l *logbook) outageSamples() (all []sample) {
	if slices.ContainsFunc(l.hosts, func(h *host) bool { return len(h.beats) > 0 }) {
		all = append(all, sample{"heartbeats", func(x, y float64) {
			l.path("f-s3 f-k", "M"+num(x)+" "+num(y+5)+"h26")
			l.path("f-v", "M"+num(x+5)+" "+num(y+5)+"v-10m8 10v-10m8 10v-10")
		}})
	}
	taints := l.lasting(func(h *host) []*tenure { return h.taints })
	for _, effect := range []string{"PreferNoSchedule", "NoSchedule", "NoExecute"} {
		if taints[effect] {
			all = append(all, sample{"taint, " + effect, func(x, y float64) { l.bar("f-s1", driven[effect], x, x+26, y) }})
		}
	}
	pods := l.lasting(func(h *host) []*tenure { return h.pods })
	pods["created"] = pods["created"] || pods["running"]
	for _, look := range []struct{ is, means string }{
		{"created", "Pod not ready"}, {"ready", "Pod ready"}, {"ending", "told to end"}, {"gone", "gone"},
	} {
		from, to := 0.0, 26.0
		if look.is == "gone" {
			from, to = 16, 16
		}
		if pods[look.is] {
			all = append(all, sample{look.means, func(x, y float64) { l.bar("f-s0", look.is, x+from, x+to, y) }})
		}
	}
	return all
}

// lasting are the phases that can be seen: a bar needs some time, a cross none.
func (l *logbook) lasting(of func(*host) []*tenure) map[string]bool {
	seen := map[string]bool{}
	for _, h := range l.hosts {
		for _, t := range of(h) {
			for i, p := range t.Phases {
				if p.Is == "gone" || l.when.at(t.end(i, l.Until))-l.when.at(p.At) > 0.5 {
					seen[p.Is] = true
				}
			}
		}
	}
	return seen
}
