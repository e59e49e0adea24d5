package images_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

const (
	up, down, left, right = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"
	home, end, del        = "\x1b[H", "\x1b[F", "\x1b[3~"
)

// shown is what a screen of one line shows after these bytes, from the last line
// that began.
func shown(bytes string) string {
	var row []rune
	at := 0
	for _, c := range bytes {
		switch {
		case c == '\n':
			row, at = nil, 0
		case c == '\b':
			at--
		case c < ' ':
		case at == len(row):
			row, at = append(row, c), at+1
		default:
			row[at] = c
			at++
		}
	}
	return strings.TrimRight(string(row[:at])+"|"+string(row[at:]), " ")
}

func TestALineCanBeEditedWhereTheCursorIs(t *testing.T) {
	for name, c := range map[string]struct{ keys, line string }{
		"in the middle":       {"echo bc" + left + left + "a", "/ # echo a|bc"},
		"the end of it":       {"bc" + home + "a" + end + "d", "/ # abcd|"},
		"other keys for them": {"bc\x01a\x05d\x1bOD\x1b[1~", "/ # |abcd"},
		"taken away":          {"abcd" + left + left + "\x7f", "/ # a|cd"},
		"under the cursor":    {"abcd" + home + del + right + del, "/ # b|d"},
		"ctrl-D":              {"abc" + home + "\x04", "/ # |bc"},
		"up to the end":       {"abcd" + left + left + "\x0b", "/ # ab|"},
		"up to the beginning": {"abcd" + left + "\x15", "/ # |d"},
		"a word":              {"echo one two \x17", "/ # echo one |"},
		"no further":          {left + "a" + right + right + "b" + del, "/ # ab|"},
		"an unknown key":      {"a\x1b[15~\x1bzb", "/ # ab|"},
		"several bytes":       {"é" + left + "ü" + end + "\x7f", "/ # ü|"},
		"ctrl-C":              {"abc" + left + "\x03", "/ # |"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "busybox", "sleep", "3600"))
				at := r.sit(p, "sh")
				at.types(c.keys)
				assert.Equal(t, c.line, strings.TrimRight(shown(at.screen.String()), " "))
				at.keys.Close()
			})
		})
	}
}

func TestEarlierLinesComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		at := r.sit(p, "sh")
		at.types("echo one\recho two\recho two\r")
		at.types("mine" + up)
		assert.Equal(t, "/ # echo two|", shown(at.screen.String()))
		at.types(up)
		assert.Equal(t, "/ # echo one|", shown(at.screen.String()), "the same twice is once")
		assert.Equal(t, "\a", at.types(up))
		at.types(down + down)
		assert.Equal(t, "/ # mine|", shown(at.screen.String()))
		assert.Equal(t, "\a", at.types(down))
		assert.Contains(t, at.types(up+up+"!\r"), "\r\none!\r\n/ # ")
		assert.Contains(t, at.types(up+up+up+"\r"), "\r\none\r\n/ # ", "what was changed is a line of its own")
		at.keys.Close()
	})
}

// What runs in a shell reads as from any terminal.
func TestOnlyAShellThatAsksEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		at := r.sit(p, "sh")
		at.types("cat\r")
		assert.Equal(t, "a^[[A\r\na\x1b[A\r\n", at.types("a"+up+"\r"))
		at.types("\x04")
		at.types(up)
		assert.Equal(t, "/ # cat|", shown(at.screen.String()))
		at.types("\x15")
		assert.Equal(t, "stty -echo; read x; stty echo; echo got $x\r\n", at.types("stty -echo; read x; stty echo; echo got $x\r"))
		assert.Equal(t, "got secret\r\n/ # ", at.types("secret\r"))
		at.keys.Close()
	})
}

func TestTabCompletesCommandsAndFiles(t *testing.T) {
	for name, c := range map[string]struct{ keys, line string }{
		"a command":             {"hostn\t", "/ # hostname |"},
		"a builtin":             {"unal\t", "/ # unalias |"},
		"behind another":        {"true; hostn\t", "/ # true; hostname |"},
		"a directory":           {"ls /et\t", "/ # ls /etc/|"},
		"a file in it":          {"cat /etc/hostn\t", "/ # cat /etc/hostname |"},
		"one relative":          {"cat et\tpass\t", "/ # cat etc/passwd |"},
		"as far as it is clear": {"cat /etc/ho\t", "/ # cat /etc/host|"},
		"nothing":               {"cat /nope\t", "/ # cat /nope|"},
		"in the middle":         {"cat /etc/pass x" + left + left + "\t", "/ # cat /etc/passwd | x"},
		"a list":                {"cat /etc/host\t\t", "/ # cat /etc/host|"},
		"a file to be run":      {"/bin/hostn\t", "/ # /bin/hostname |"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "busybox", "sleep", "3600"))
				at := r.sit(p, "sh")
				at.types(c.keys)
				assert.Equal(t, c.line, shown(at.screen.String()))
				if name == "a list" {
					assert.Contains(t, at.screen.String(), "\r\nhostname  hosts\r\n")
				}
				at.keys.Close()
			})
		})
	}
}
