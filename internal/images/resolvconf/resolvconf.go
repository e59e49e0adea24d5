// Package resolvconf reads and writes /etc/resolv.conf, in which a Pod has whom
// to ask for names, and what a name may be short for.
package resolvconf

import (
	"slices"
	"strconv"
	"strings"
)

// Conf is a resolv.conf.
type Conf struct{ Search, Servers, Options []string }

// Parse reads a file. What it does not know it leaves out.
func Parse(text string) (c Conf) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "search":
			c.Search = words[1:]
		case "nameserver":
			c.Servers = append(c.Servers, words[1:]...)
		case "options":
			c.Options = words[1:]
		}
	}
	return c
}

// String returns the file.
func (c Conf) String() string {
	var text strings.Builder
	if len(c.Search) > 0 {
		text.WriteString("search " + strings.Join(c.Search, " ") + "\n")
	}
	for _, server := range c.Servers {
		text.WriteString("nameserver " + server + "\n")
	}
	if len(c.Options) > 0 {
		text.WriteString("options " + strings.Join(c.Options, " ") + "\n")
	}
	return text.String()
}

// Set sets an option, in the place of the one of its name if there is one.
func (c *Conf) Set(option, value string) {
	text := option
	if value != "" {
		text += ":" + value
	}
	at := slices.IndexFunc(c.Options, func(o string) bool {
		name, _, _ := strings.Cut(o, ":")
		return name == option
	})
	if at < 0 {
		c.Options = append(c.Options, text)
		return
	}
	c.Options = slices.Clone(c.Options)
	c.Options[at] = text
}

// Names returns the names that one may be short for, in the order in which they
// are tried. One that ends with a dot is short for nothing.
func (c Conf) Names(name string) []string {
	if whole, ends := strings.CutSuffix(name, "."); ends {
		return []string{whole}
	}
	var all []string
	for _, domain := range c.Search {
		all = append(all, name+"."+strings.TrimSuffix(domain, "."))
	}
	if strings.Count(name, ".") >= c.ndots() {
		return slices.Insert(all, 0, name)
	}
	return append(all, name)
}

// ndots returns how many dots a name has that is tried as it is first.
func (c Conf) ndots() int {
	for _, option := range c.Options {
		if text, ok := strings.CutPrefix(option, "ndots:"); ok {
			n, _ := strconv.Atoi(text) // what is no number is 0, as in libc
			return n
		}
	}
	return 1
}
