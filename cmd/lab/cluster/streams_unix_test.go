//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var rewriteStreams = flag.Bool("update", false, "measure the streams' table anew")

// streamsTable is the file of the table, which has the commands too.
const streamsTable = "testdata/streams.txt"

// columns are what is measured, in the order of the file.
var columns = []string{"simulated:", "runc:"}

// patience is how long a row may take.
const patience = 2 * time.Minute

func TestStreamsEndAsTheTableSays(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lab := h.up("--nodes", "1")
	measure(h, "simulated:")
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}

// Scenes have no other programs: kubectl runs diff and an editor.
func TestKubectlShowsAndEditsByOtherPrograms(t *testing.T) {
	t.Parallel()
	h := newHome(t, "KUBE_EDITOR=sed -i.was s/OLD/NEW/")
	lab := h.up("--nodes", "0")
	h.realKubectl()
	assert.Equal(t, `+  color: red
status 1
status 0
-  color: red
+  color: blue
-  color: red
+  color: blue
red
Edit cancelled, no changes made.
configmap/settings patched
configmap/settings edited
NEW
`, h.types(`
manifest() { kubectl create configmap settings --from-literal=color=$1 --dry-run=client -o yaml >$1; }
manifest red; manifest blue
kubectl diff -f red >seen; s=$?; grep '^[+-]  color' seen; echo status $s
kubectl apply -f red >seen; kubectl diff -f red; echo status $?
kubectl diff -f blue | grep '^[+-]  color'
kubectl diff --server-side --force-conflicts -f blue | grep '^[+-]  color'
kubectl get configmap settings -o jsonpath='{.data.color}{"\n"}'
kubectl edit configmap settings
kubectl patch configmap settings -p '{"data":{"color":"OLD"}}'
kubectl edit configmap settings
kubectl get configmap settings -o jsonpath='{.data.color}{"\n"}'
`))
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}

// realProgram puts a script before all other programs of its name.
func (h *home) realProgram(name, script string) {
	path := h.file(name)
	require.NoError(h.t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
	h.env = append(h.env, "PATH="+h.folder+":"+os.Getenv("PATH"))
}

// realKubectl makes kubectl that of the program that is tested.
func (h *home) realKubectl() {
	h.realProgram("kubectl", fmt.Sprintf("exec %q kubectl \"$@\"\n", os.Args[0]))
}

// measure runs the table's commands, and compares a column.
func measure(h home, column string) {
	h.t.Helper()
	h.realKubectl()
	h.realProgram("dial", fmt.Sprintf("%s=yes exec %q \"$@\"\n", asDialer, os.Args[0]))
	rows := rowsOf(readTable(h.t))
	seen := make([]string, len(rows))
	var all sync.WaitGroup
	turns := make(chan struct{}, 4)
	for i, r := range rows[2:] {
		all.Go(func() {
			turns <- struct{}{}
			seen[i+2] = h.types(rows[1].script + r.script)
			<-turns
		})
	}
	all.Wait()
	table.Lock()
	defer table.Unlock()
	text := readTable(h.t) // in which the other column may be new
	rows = rowsOf(text)
	for i, r := range rows {
		if !*rewriteStreams {
			assert.Equal(h.t, r.seen[column], seen[i], "%s\n%s", r.title, r.rule)
		}
		r.seen[column] = seen[i]
	}
	if *rewriteStreams {
		text = printed(rows)
		require.NoError(h.t, os.WriteFile(streamsTable, []byte(text), 0o644))
	}
	assert.Equal(h.t, text, printed(rowsOf(text)), "-update writes the file otherwise")
}

// table guards the file.
var table sync.Mutex

func readTable(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(streamsTable)
	require.NoError(t, err)
	return string(text)
}

// types runs a row's commands in a folder of their own, and returns what they print.
func (h home) types(script string) string {
	dir, err := os.MkdirTemp(h.folder, "row")
	require.NoError(h.t, err)
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-c", script)
	command.Dir, command.Env = dir, h.command().Env
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = patience
	out, _ := command.CombinedOutput() // statuses are printed
	if ctx.Err() != nil {
		out = append(out, "AND DOES NOT RETURN\n"...)
	}
	return strings.ReplaceAll(strings.TrimSpace(string(out)), "\n\n", "\n") + "\n"
}

// row is one of the table: its commands, the rule, and what was seen.
type row struct {
	title, script, rule string
	seen                map[string]string
}

// rowsOf returns the rows of a table, and before them what comes before each.
func rowsOf(table string) (rows []row) {
	for i, part := range strings.Split(table, "\n=== ") {
		title, rest, _ := strings.Cut(part, "\n")
		r := row{title: title, seen: map[string]string{}}
		if i == 0 {
			r.title, rest = part, ""
		}
		var into string
		for line := range strings.Lines(rest) {
			text, indented := strings.CutPrefix(line, "  ")
			word := strings.TrimSpace(line)
			switch command, isCommand := strings.CutPrefix(line, "$ "); {
			case isCommand:
				r.script += command
			case strings.HasPrefix(line, "rule: "):
				r.rule, into = line, "rule"
			case indented && into == "rule":
				r.rule += line
			case indented:
				r.seen[into] += text
			case word == "runc: the same":
				r.seen["runc:"] = r.seen["simulated:"]
			case slices.Contains(columns, word):
				into = word
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// printed returns the file of a table.
func printed(rows []row) string {
	var table strings.Builder
	for i, r := range rows {
		if i == 0 {
			table.WriteString(strings.TrimSpace(r.title) + "\n")
			continue
		}
		fmt.Fprintf(&table, "\n=== %s\n%s%s", r.title, indented("$ ", r.script), r.rule)
		if r.rule == "" {
			continue // it comes before each
		}
		for _, column := range columns {
			if column == "runc:" && r.seen[column] == r.seen["simulated:"] {
				table.WriteString("runc: the same\n")
				continue
			}
			fmt.Fprintf(&table, "%s\n%s", column, indented("  ", r.seen[column]))
		}
	}
	return table.String()
}

func indented(by, text string) string {
	var all strings.Builder
	for line := range strings.Lines(text) {
		all.WriteString(by + strings.TrimSuffix(line, "\n") + "\n")
	}
	return all.String()
}
