package why

import (
	"fmt"
	"io"
	"strings"
)

// says has in words how a chain ends.
var says = map[Reason]string{
	Nothing: "Nothing is waited for", Paused: "It waits because a loop is paused", Queued: "It moves",
	BackOff: "It is tried again at", Behind: "It waits for a cache", Object: "It waits for an object",
	Time: "It waits until", Unready: "It waits for what isn't ready", Stopped: "Somebody wants it so",
	Refused: "It is refused", Nobody: "Nobody will act",
}

// ends says in a sentence how the chain ends.
func (c Chain) ends() string {
	text := says[c.Reason]
	if c.Until != nil {
		text += " " + clock(*c.Until)
	}
	if c.Beside != "" {
		return text + ". (" + c.Beside + ".)"
	}
	return text + "."
}

// Code is the exit status of a command that tells of the chain: 0 where nothing is waited
// for, 3 where nobody will act, and else 2.
func (c Chain) Code() int {
	switch c.Reason {
	case Nothing:
		return 0
	case Nobody:
		return 3
	}
	return 2
}

// Write writes the chain in lines.
func (c Chain) Write(w io.Writer) error {
	var text strings.Builder
	for i, link := range c.Links {
		arrow := "→ "
		if i == 0 {
			arrow = ""
		}
		fmt.Fprintf(&text, "%s%s %s\n", arrow, link.Of, link.Says)
	}
	text.WriteString(c.Ends + "\n")
	if c.Remedy != "" {
		fmt.Fprintf(&text, "Remedy: %s\n", c.Remedy)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
