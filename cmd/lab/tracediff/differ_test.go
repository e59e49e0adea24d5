package tracediff

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/workspace"
	"reconcile/internal/openexercises"
)

// written returns the record of entries that stand below each other, by second:
//
//	0 run rs web
//	0 write rs added Pod web-1 {"spec": 1}
//	0 end rs web
func written(t *testing.T, lines string) []byte {
	t.Helper()
	record := map[string]any{}
	var entries []map[string]any
	versions := map[string][]map[string]any{}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		n := len(entries) + 1
		fields := strings.Fields(line)
		var second int64
		_, err := fmt.Sscan(fields[0], &second)
		require.NoError(t, err)
		e := map[string]any{"n": n, "at": 1_000_000 * (second + 100), "do": fields[1], "lane": strings.ReplaceAll(fields[2], "_", " ")}
		switch fields[1] {
		case "write":
			maps.Copy(e, map[string]any{"verb": fields[3], "kind": fields[4], "key": fields[5], "v": n})
			if len(fields) > 6 && fields[6][0] != '{' {
				var calls []string
				for call := range strings.SplitSeq(fields[6], ",") {
					calls = append(calls, strings.Replace(call, ":", " roll.go:", 1))
				}
				e["calls"] = calls
			}
			if _, object, ok := strings.Cut(line, "{"); ok {
				name := fields[4] + " " + fields[5]
				versions[name] = append(versions[name], map[string]any{"n": n, "object": json.RawMessage("{" + object)})
			}
		case "act":
			e["verb"], e["text"] = fields[3], strings.Join(fields[4:], " ")
		default:
			e["key"] = fields[3]
		}
		entries = append(entries, e)
	}
	record["entries"], record["versions"] = entries, versions
	text, err := json.Marshal(record)
	require.NoError(t, err)
	return text
}

// says returns what is said of two runs.
func says(t *testing.T, mine, book string) string {
	t.Helper()
	p, err := partner(cluster(t, 1, mine), []workspace.Recorded{cluster(t, 1, book)})
	require.NoError(t, err)
	return p.says([]string{"Roll"})
}

func cluster(t *testing.T, n int, lines string) workspace.Recorded {
	t.Helper()
	return workspace.Recorded{Record: openexercises.Record{Test: "TestX", Cluster: n}, JSON: written(t, lines)}
}

const (
	a = "run rs a\n0 write rs added Pod a-1 {\"spec\": 1}\n0 end rs a\n"
	b = "run rs b\n0 end rs b\n"
)

func versioned(n int) string {
	return strings.Replace(a, `"spec"`, fmt.Sprintf(`"metadata": {"resourceVersion": "%d"}, "spec"`, n), 1)
}

func TestTheFirstDifferenceOfTwoRuns(t *testing.T) {
	for name, test := range map[string]struct{ mine, book, says string }{
		"none": {"0 " + a, "0 " + a, "Both runs are the same, step by step: what differs is what a function returned to the test."},
		"another write": {"0 run rs a\n0 write rs deleted Pod a-1\n0 end rs a", "0 " + a,
			"They differ first at step 2, 0s in. Yours: rs deletes Pod a-1. The book's: rs creates Pod a-1."},
		"no write, as the book's next reconcile": {"0 " + b, "0 run rs b\n0 write rs added Pod b-1\n0 end rs b\n0 " + b,
			"They differ first at step 2, 0s in. Yours: rs is done with b, without a write. The book's: rs creates Pod b-1. In yours rs rests, and b isn't in its queue: nobody will act."},
		"a write too many": {"0 run rs b\n0 write rs added Pod b-1\n0 end rs b\n0 " + b, "0 " + b,
			"They differ first at step 2, 0s in. Yours: rs creates Pod b-1. The book's: rs is done with b, without a write."},
		"an end of everything": {"0 " + a, "0 " + a + "5 " + b,
			"They differ first after step 3, 5s in. Yours: nothing more happens. The book's: rs reconciles b. In yours nothing has ever brought b into the queue of rs: nobody will act."},
		"a pause": {"0 " + a + "9 run rs c\n9 end rs c", "0 " + a + "5 " + strings.ReplaceAll(b, "0 ", "5 ") + "9 run rs c\n9 end rs c",
			"They differ first after step 3, 5s in. Yours: nothing happens then. The book's: rs reconciles b."},
		"a reconcile that never ends": {"0 run rs a", "0 " + a,
			"They differ first after step 1, 0s in. Yours: nothing more happens. The book's: rs creates Pod a-1. In yours rs still reconciles a."},
		"a key that no worker takes": {"0 key rs a", "0 key rs a\n0 " + a,
			"They differ first after step 1, 0s in. Yours: nothing more happens. The book's: rs reconciles a. In yours a waits in the queue of rs, which doesn't take it."},
		"another field": {"0 " + strings.Replace(a, `"spec": 1`, `"spec": {"replicas": 3}`, 1), "0 " + strings.Replace(a, `"spec": 1`, `"spec": {"replicas": 2}`, 1),
			"They differ first at step 2, 0s in. In both, rs creates Pod a-1, but with another spec.replicas: yours is 3, the book's 2."},
		"a line of the reader's": {"0 run rs a\n0 write rs deleted Pod a-1 Scale:3,Roll:31\n0 end rs a", "0 " + a,
			"They differ first at step 2, 0s in. Yours: rs deletes Pod a-1 (roll.go:31). The book's: rs creates Pod a-1."},
		"another version alone": {"0 " + versioned(5), "0 " + versioned(6),
			"Both runs are the same, step by step: what differs is what a function returned to the test."},
		"another order of keys": {"0 " + a + "0 " + b, "0 " + b + "0 " + a,
			"The same happens in both, but in another order: at step 1, 0s in. Yours: rs reconciles a. The book's: rs reconciles b."},
		"another order within a reconcile": {
			"0 run rs a\n0 write rs added Pod a-1\n0 write rs added Pod a-2\n0 end rs a",
			"0 run rs a\n0 write rs added Pod a-2\n0 write rs added Pod a-1\n0 end rs a",
			"They differ first at step 2, 0s in. Yours: rs creates Pod a-1. The book's: rs creates Pod a-2."},
		"after another order": {"0 " + a + "0 " + b + "1 run rs c\n1 end rs c", "0 " + b + "0 " + a + "1 run rs d\n1 end rs d",
			"They differ first at step 6, 1s in. Yours: rs reconciles c. The book's: rs reconciles d."},
		"another object, after another order": {"0 " + a + "0 " + b + "1 write rs added Pod c {}", "0 " + b + "0 " + a + "1 write rs added Pod c {\"x\": 1}",
			"The same happens in both, but in another order: at step 1, 0s in. Yours: rs reconciles a. The book's: rs reconciles b."},
		"all at once, in any order": {
			"0 act all run free\n0 write rs added Pod x\n0 run rs a\n0 write rs added Pod y\n0 end rs a",
			"0 act all run free\n0 write rs added Pod z\n0 run rs a\n0 end rs a\n0 run rs a\n0 write rs added Pod x\n0 write rs added Pod x\n0 end rs a",
			"Both runs are the same, step by step: what differs is what a function returned to the test."},
		"all at once, with one more": {
			"0 act all run free\n0 write rs added Pod x\n0 write rs added Pod y", "0 act all run free\n0 write rs added Pod x",
			"They differ first at step 3, 0s in. Yours: rs creates Pod y. The book's: nothing more happens. All loops run at once there: some of it may be chance."},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.says, says(t, test.mine, test.book)) })
	}
}

func TestAClusterStandsBesideTheOneInWhichTheTestDoesTheSame(t *testing.T) {
	const one, two = "0 write the_test added Pod one\n0 ", "0 write the_test added Pod two\n0 "
	book := []workspace.Recorded{cluster(t, 1, two+b), cluster(t, 2, one+b)}
	p, err := partner(cluster(t, 1, one+a), book)
	require.NoError(t, err)
	assert.Equal(t, 2, p.book.Cluster)
	assert.Equal(t, 2, p.differ.atMine)

	p, err = partner(cluster(t, 1, one+b), book)
	require.NoError(t, err)
	assert.Equal(t, 2, p.book.Cluster)
	assert.Nil(t, p.differ, "it's the same run")
}

func TestAClusterStandsBesideThatOfItsNumberThoughAnotherComesCloser(t *testing.T) {
	book := []workspace.Recorded{cluster(t, 1, "0 "+b), cluster(t, 2, "0 "+a+"0 "+b)}
	p, err := partner(cluster(t, 1, "0 "+a), book)
	require.NoError(t, err)
	assert.Equal(t, 1, p.book.Cluster)
}

func TestTheClusterThatDiffersIsShown(t *testing.T) {
	book := []workspace.Recorded{cluster(t, 1, "0 "+a), cluster(t, 2, "0 "+a+"1 run rs c"), cluster(t, 3, "0 "+a)}
	mine := []workspace.Recorded{cluster(t, 1, "0 "+a), cluster(t, 2, "0 "+a+"1 run rs d"), cluster(t, 3, "0 "+a)}
	p, err := best(mine, book)
	require.NoError(t, err)
	assert.Equal(t, 2, p.mine.Cluster)

	p, err = best(mine[:1], nil)
	require.NoError(t, err)
	assert.Equal(t, "With the book's answer the test makes no such cluster: they differ before it.", p.says(nil))
	p, err = best(nil, book)
	require.NoError(t, err)
	assert.Equal(t, "Your run has left no record, since its process died. What the book's does is there.", p.says(nil))

	page, err := New("X", &workspace.Seen{Mine: mine[:1]})
	require.NoError(t, err)
	assert.Contains(t, string(page.contents["/"]), "<p>The test did not come so far")
}

func TestEntriesAreSaidInSentences(t *testing.T) {
	for want, e := range map[string]entry{
		"a cache hears of Pod x":                                         {step: step{Do: "heard", Kind: "Pod", Key: "x"}},
		"the queue of rs gets x":                                         {step: step{Do: "key", Lane: "rs", Key: "x"}},
		"rs is done with x, after one write":                             {step: step{Do: "end", Lane: "rs", Key: "x", Wrote: 1}},
		"rs is done with x, after 2 writes, and comes back in 2s":        {step: step{Do: "end", Lane: "rs", Key: "x", Wrote: 2, After: 2_000_000}},
		`rs is done with x, without a write, and returns the error "no"`: {step: step{Do: "end", Lane: "rs", Key: "x", Err: "no"}},
		"scheduler chooses n for Pod x":                                  {step: step{Do: "decide", Lane: "scheduler", Kind: "Pod", Key: "x", Node: "n"}},
		"scheduler finds no node for Pod x":                              {step: step{Do: "decide", Lane: "scheduler", Kind: "Pod", Key: "x"}},
		"rs: crashed":                                                    {step: step{Do: "act", Lane: "rs", Text: "crashed"}},
		"all start again":                                                {step: step{Do: "act", Text: "all start again"}},
	} {
		assert.Equal(t, want, e.String())
	}
}

func TestABrokenRecordIsSaid(t *testing.T) {
	_, err := best([]workspace.Recorded{{JSON: []byte("{")}}, nil)
	assert.ErrorContains(t, err, "the record of a cluster: ")
}
