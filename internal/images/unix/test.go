package unix

import (
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/pattern"
)

// condition is what test and [ are asked.
type condition struct {
	*shell
	hc   interp.HandlerContext
	args []string // those that are left
	err  string   // what is wrong with them
	last string   // what stood before those that are left

	double bool // it is ash's [[
}

// test runs the builtins test and [.
func (s *shell) test(hc interp.HandlerContext, args []string) error {
	c := &condition{shell: s, hc: hc, args: args[1:]}
	if end := map[string]string{"[": "]", "[[": "]]"}[args[0]]; end != "" {
		last := len(c.args) - 1
		if last < 0 || c.args[last] != end {
			return c.wrong(args[0], s.say("missing `]'", "missing "+end, "missing ]"))
		}
		c.double = end == "]]"
		c.args = c.args[:last]
	}
	held := c.whole()
	if c.err == "" && len(c.args) > 0 {
		c.tooMany()
	}
	switch {
	case c.err != "":
		return c.wrong(args[0], c.err)
	case held:
		return nil
	}
	return interp.ExitStatus(1)
}

func (c *condition) wrong(name, what string) error {
	if c.dialect != ash {
		name = c.where(c.hc, name)
	} else {
		name = c.name
	}
	fmt.Fprintf(c.hc.Stderr, "%s: %s\n", name, what)
	return interp.ExitStatus(2)
}

// tooMany says what is wrong where something is left.
func (c *condition) tooMany() {
	c.err = c.say("too many arguments", c.args[0]+": unknown operand", c.last+": unexpected operator")
}

// whole evaluates what is left by its number, as POSIX says; of more than four it
// knows -a, -o, ! and parentheses.
func (c *condition) whole() bool {
	switch n := len(c.args); {
	case n == 0:
		return false
	case n == 1:
		return c.next() != ""
	case n == 2 && c.args[0] == "!":
		return c.args[1] == "" && c.drop(2)
	case n == 2 && !c.isUnary(c.args[0]):
		c.err = c.say(c.args[0]+": unary operator expected", c.args[1]+": unknown operand", c.args[0]+": unexpected operator")
		return false
	case n == 3 && c.isBinary(c.args[1]):
		return c.binary()
	case n == 3 && c.args[0] == "(" && c.args[2] == ")":
		return c.args[1] != "" && c.drop(3)
	case n == 3 && !c.double && c.args[0] != "!" && c.args[1] != "-a" && c.args[1] != "-o":
		c.err = c.say(c.args[1]+": binary operator expected", c.args[1]+": unknown operand", c.args[0]+": unexpected operator")
		return false
	case n == 4 && c.args[0] == "!":
		c.args = c.args[1:]
		return !c.whole()
	}
	return c.or()
}

func (c *condition) next() string {
	c.last, c.args = c.args[0], c.args[1:]
	return c.last
}

func (c *condition) drop(n int) bool {
	c.args = c.args[n:]
	return true
}

func (c *condition) or() bool {
	held := c.and()
	for c.err == "" && len(c.args) > 0 && (c.args[0] == "-o" || c.double && c.args[0] == "||") {
		c.next()
		held = c.and() || held
	}
	return held
}

func (c *condition) and() bool {
	held := c.primary()
	for c.err == "" && len(c.args) > 0 && (c.args[0] == "-a" || c.double && c.args[0] == "&&") {
		c.next()
		held = c.primary() && held
	}
	return held
}

func (c *condition) primary() bool {
	switch {
	case len(c.args) == 0:
		c.err = c.say("argument expected", "argument expected", "argument expected")
		return false
	case c.args[0] == "!":
		c.next()
		return !c.primary()
	case c.args[0] == "(" && len(c.args) > 2:
		c.next()
		held := c.or()
		if c.err == "" && (len(c.args) == 0 || c.next() != ")") {
			c.err = "closing paren expected"
		}
		return held
	case len(c.args) > 2 && c.isBinary(c.args[1]):
		return c.binary()
	case len(c.args) > 1 && c.isUnary(c.args[0]):
		return c.unary(c.next(), c.next())
	}
	return c.next() != ""
}

func (c *condition) isUnary(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.Contains(c.say("abcdefghkLnNoOprsStuvwxzG", unary, unary), op[1:])
}

const unary = "bcdefghkLnOprsStuwxzG" // of ash and dash

func (c *condition) isBinary(op string) bool {
	switch op {
	case "=~":
		return c.double
	case "=", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return op == "==" && c.dialect != dash
}

func (c *condition) unary(op, operand string) bool {
	switch op {
	case "-n":
		return operand != ""
	case "-z":
		return operand == ""
	case "-v":
		return c.hc.Env.Get(operand).IsSet()
	case "-t":
		return c.Terminal != nil
	case "-h", "-L":
		info, err := c.Box.Files.Lstat(Abs(c.hc.Dir, operand))
		return err == nil && info.Mode()&fs.ModeSymlink != 0
	}
	info, err := c.Box.Files.Stat(Abs(c.hc.Dir, operand))
	if err != nil || operand == "" {
		return false
	}
	mode := info.Mode()
	switch op {
	case "-f":
		return mode.IsRegular()
	case "-d":
		return info.IsDir()
	case "-s":
		return info.Size() > 0
	case "-x":
		return info.IsDir() || mode&0o111 != 0
	case "-p":
		return mode&fs.ModeNamedPipe != 0
	case "-S":
		return mode&fs.ModeSocket != 0
	case "-c", "-b":
		return mode&fs.ModeDevice != 0
	case "-k", "-u", "-g":
		return mode&map[string]fs.FileMode{"-k": fs.ModeSticky, "-u": fs.ModeSetuid, "-g": fs.ModeSetgid}[op] != 0
	}
	return true // -e, and what root may do
}

func (c *condition) binary() bool {
	a, op, b := c.next(), c.next(), c.next()
	switch op {
	case "=", "==":
		return c.alike(a, b)
	case "!=":
		return !c.alike(a, b)
	case "=~":
		found, err := regexp.MatchString(b, a)
		return err == nil && found
	case "<":
		return a < b
	case ">":
		return a > b
	case "-nt", "-ot", "-ef":
		return c.compareFiles(a, op, b)
	}
	x, y := c.number(a), c.number(b)
	return map[string]bool{
		"-eq": x == y, "-ne": x != y, "-lt": x < y, "-le": x <= y, "-gt": x > y, "-ge": x >= y,
	}[op] && c.err == ""
}

// alike compares texts; in ash's [[ the second one is a pattern.
func (c *condition) alike(a, b string) bool {
	if !c.double {
		return a == b
	}
	text, err := pattern.Regexp(b, pattern.EntireString)
	if err != nil {
		return a == b
	}
	found, _ := regexp.MatchString(text, a)
	return found
}

func (c *condition) compareFiles(a, op, b string) bool {
	left, err := c.Box.Files.Stat(Abs(c.hc.Dir, a))
	right, wrong := c.Box.Files.Stat(Abs(c.hc.Dir, b))
	switch {
	case op == "-ef":
		return err == nil && wrong == nil && Abs(c.hc.Dir, a) == Abs(c.hc.Dir, b)
	case op == "-ot":
		left, err, right, wrong = right, wrong, left, err
	}
	return err == nil && (wrong != nil || left.ModTime().After(right.ModTime()))
}

func (c *condition) number(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil && c.err == "" {
		c.err = c.say(text+": integer expression expected", strings.TrimPrefix(text+": bad number", ": "), "Illegal number: "+text)
	}
	return n
}
