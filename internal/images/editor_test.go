package images_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

const (
	up, down, left, right = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"
	home, end, del        = "\x1b[H", "\x1b[F", "\x1b[3~"
)

// moved matches one movement of a terminal's cursor, left or right, or one
// character that it writes.
var moved = regexp.MustCompile(`\x1b\[\d*[CD]|.|\n`)

// shown returns what a screen of one line shows after these bytes, from the
// last line that began.
func shown(bytes string) string {
	var row []rune
	at := 0
	for _, c := range moved.FindAllString(bytes, -1) {
		switch {
		case c == "\n":
			row, at = nil, 0
		case c == "\r":
		case strings.HasPrefix(c, "\x1b["):
			step := 0
			for _, digit := range c[2 : len(c)-1] {
				step = 10*step + int(digit-'0')
			}
			if step = max(1, step); strings.HasSuffix(c, "D") {
				step = -step
			}
			at += step
		case at == len(row):
			row, at = append(row, []rune(c)[0]), at+1
		default:
			row[at] = []rune(c)[0]
			at++
		}
	}
	return strings.TrimRight(string(row[:at])+"|"+string(row[at:]), " ")
}

func TestALineCanBeEditedWhereTheCursorIs(t *testing.T) {
	for name, c := range map[string]struct{ keys, line string }{
		"in the middle":       {"echo bc" + left + left + "a", "/ # echo a|bc"},
		"the end of it":       {"bc" + home + "a" + end + "d", "/ # abcd|"},
		"other keys for them": {"bc\x01a\x05d\x02", "/ # abc|d"},
		"taken away":          {"abcd" + left + left + "\x7f", "/ # a|cd"},
		"under the cursor":    {"abcd" + home + del + right + del, "/ # b|d"},
		"ctrl-D":              {"abc" + home + "\x04", "/ # |bc"},
		"up to the end":       {"abcd" + left + left + "\x0b", "/ # ab|"},
		"up to the beginning": {"abcd" + left + "\x15", "/ # |d"},
		"a word":              {"echo one two \x17", "/ # echo one |"},
		"no further":          {left + "a" + right + right + "b" + del, "/ # ab|"},
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
		for _, line := range []string{"echo one\r", "echo two\r", "echo two\r", "\r"} {
			at.types(line)
		}
		at.types("mine" + up)
		assert.Equal(t, "/ # echo two|", shown(at.screen.String()))
		at.types(up)
		assert.Equal(t, "/ # echo one|", shown(at.screen.String()), "the same twice is once")
		assert.Empty(t, at.types(up))
		at.types(down + down)
		assert.Equal(t, "/ # mine|", shown(at.screen.String()))
		assert.Empty(t, at.types(down))
		assert.Contains(t, at.types(up+up+"!\r"), "\r\none!\r\n/ # ")
		assert.Contains(t, at.types(up+up+up+"\r"), "\r\none\r\n/ # ", "what was changed is a line of its own")
		at.types("nothing\x03" + up + "\r")
		assert.Equal(t, "/ # |", shown(at.screen.String()), "ctrl-C ends a line, and what was before it stays")
		assert.Contains(t, at.screen.String(), "nothing^C\r\n/ # echo one\r\none\r\n/ # ")
		at.keys.Close()
	})
}

// A program in a shell reads as from any terminal.
func TestOnlyAShellThatAsksEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		at := r.sit(p, "sh")
		at.types("cat\r")
		assert.Equal(t, "a^[[A\r\na\x1b[A\r\n", at.types("a"+up+"\r"))
		assert.Equal(t, "日本\b\b  \b\bx\r\n日x\r\n", at.types("日本\x7fx\r"))
		at.types("\x04")
		at.types(up)
		assert.Equal(t, "/ # cat|", shown(at.screen.String()))
		at.types("\x15")
		at.keys.Close()
	})
}

// Lines that are pasted are not lost: each goes to its reader, and is shown once,
// by the shell, if that reads it.
func TestALineCanBeTypedAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		at := r.sit(p, "sh")
		at.types("read x; echo got $x; read y\rone\rtwo\recho th")
		assert.Equal(t, "/ # read x; echo got $x; read y\r\ngot one\r\n/ # echo th", at.screen.String())
		assert.Equal(t, "ree $x$y\r\nthree onetwo\r\n/ # ", at.types("ree $x$y\r"))
		assert.Equal(t, "echo a\r\na\r\n/ # echo b\r\nb\r\n/ # ", at.types("echo a\recho b\r"))
		at.keys.Close()
	})
}
