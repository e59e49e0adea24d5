package script

import (
	"fmt"
	"strings"
	"time"
)

// Caption says in a few words what happens, for the reader of a page.
func (v *Verb) Caption() string {
	if machine := v.Machine(); machine != "" {
		return machine + " " + befalls[v.Name]
	}
	if v.Name == "crash" && len(v.Args) == 1 && v.Args[0] == AfterAWrite {
		return "all controllers crash after their next write"
	}
	if said, ok := ofControllers[v.Name]; ok {
		if len(v.Args) == 0 || v.Args[0] == "watches" {
			return said.all
		}
		return fmt.Sprintf(said.one, "the controller “"+v.Args[0]+"”")
	}
	switch v.Name {
	case "add":
		return "a machine is added"
	case "why":
		return "what does " + v.Args[0] + " wait for?"
	case "advance":
		if v.Args[0] == UntilQuiet {
			return "until nothing changes"
		}
		d, _ := time.ParseDuration(v.Args[0]) // Parse has seen to it
		return inWords(d) + " later"
	case "late":
		if d, _ := time.ParseDuration(v.Args[1]); d > 0 {
			return "caches hear of " + v.Args[0] + " " + inWords(d) + " late"
		}
		return "caches hear of " + v.Args[0] + " at once"
	case "fail":
		return v.Args[0] + " can no longer be pulled"
	case "heal":
		return v.Args[0] + " can be pulled"
	case "write":
		return v.Args[0] + " is written"
	case "edit":
		return fmt.Sprintf("in %s, “%s” becomes “%s”", v.Args[0], v.Args[1], v.Args[2])
	}
	return "ctrl-C"
}

// befalls says what happens to a machine.
var befalls = map[string]string{
	"cut": "is cut off from the network", "stop": "is switched off",
	"start": "is back",
}

// ofControllers says what happens to a controller, or to all.
var ofControllers = map[string]struct{ one, all string }{
	"pause":    {"%s is paused", "all controllers are paused"},
	"step":     {"%s takes one key", ""},
	"go-on":    {"%s goes on", "all controllers go on"},
	"drop":     {"the next event doesn’t reach the queue of %s", "all watches lose their connections"},
	"conflict": {"the next update of %s will be refused", ""},
	"lose":     {"the answer to the next write of %s will be lost", ""},
	"crash":    {"%s crashes", "all controllers crash"},
	"restart":  {"", "the controllers start anew"},
	"resync":   {"", "the controllers are told of all objects again"},
}

// inWords returns a time as people say it: "1 minute 30 seconds".
func inWords(d time.Duration) string {
	var words []string
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}, {"millisecond", time.Millisecond}} {
		n := d / unit.of
		d %= unit.of
		switch {
		case n == 1:
			words = append(words, "1 "+unit.name)
		case n > 1:
			words = append(words, fmt.Sprintf("%d %ss", n, unit.name))
		}
	}
	return strings.Join(words, " ")
}
