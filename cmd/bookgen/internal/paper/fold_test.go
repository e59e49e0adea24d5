package paper_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/paper"
)

func TestALineIsBrokenWhereItsLanguageAllowsIt(t *testing.T) {
	for _, c := range []struct{ what, given, want string }{
		{"what fits", "\tshort := 1\nx", "  short := 1\nx"},
		{"behind a comma", "\tcreate(ctx, <b>aPod</b>, theNewTemplate)", "  create(ctx, aPod, \n      ↪ theNewTemplate)"},
		{"not behind what ends a statement", "return isReady(aName) && isOn(b)", "return isReady(aName) && isOn(\n    ↪ b)"},
		{"not in a string", `sayItAgain(first, "this, and that")`, "sayItAgain(first, \n    ↪ \"this, and that\")"},
		{"a comment at a blank", "a() // a word and one more, and", "a() // a word and one more, \n    ↪ and"},
		{"sentences", "\t<i>// a word and one more, and others</i>\n\t<i>// a <a>few</a> words on</i>\n\t<i>// the end, and</i>\n\t<i>//   a: 1</i>\n",
			"  // a word and one more, and\n  // others a few words on\n  // the end, and\n  //   a: 1\n"},
		{"a word that is too long", "// see a/path/of/forty/letters/to/a/file.go, and more of it", "// see\n// a/path/of/forty/letters/to/\n    ↪ a/file.go,\n// and more of it"},
		{"no sentences that have room", "// a word, and one\n// more of these\n", "// a word, and one\n// more of these\n"},
		{"what has no blank", "<samp>0123456789012345678901234567890123\n</samp>", "012345678901234567890123456789\n↪ 0123\n"},
		{"prose not at all", `<samp><span class=meanwhile>meanwhile the Pod is deleted by somebody</span></samp>`, "meanwhile the Pod is deleted by somebody"},
		{"a command that goes on", "<samp><span class=typed>$ <kbd>kubectl get \\\n    --a=01234567890123456789012345</kbd>\n</span></samp>",
			"$ kubectl get \\\n    --a=0123456789012345678901\n↪ 2345\n"},
	} {
		l := node.Parse("<pre>" + c.given + "</pre>")
		paper.Fold(l[0], 30, 2)
		assert.Equal(t, c.want, l.Text(), c.what)
	}
}

func TestATableIsBrokenAtOneColumnInAllRows(t *testing.T) {
	l := node.Parse("<pre><samp><span class=typed>$ <kbd>kubectl get pods</kbd>\n</span><span class=l style=--c:26>NAME    READY   STATUS    NODE\n</span>" +
		"<span class=l style=--c:26>web-1   1/1     Running   a-node-with-a-name\n</span>web-2   0/1     Pending\n</samp></pre>")
	paper.Fold(l[0], 36, 4)
	assert.Equal(t, "$ kubectl get pods\nNAME    READY   STATUS    \nNODE\nweb-1   1/1     Running   \na-node-with-a-name\nweb-2   0/1     Pending\n", l.Text())
}
