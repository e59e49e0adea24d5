package build_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

// played has a front page that plays a recorded run.
const played = `
-- chapters/book.md --
---
title: Small
description: A book in a test.
edition: 1
date: 2026-01-02
loop: 01-loop/testdata/three.json
chapters:
- slug: 01-loop
  title: Loop
- slug: 02-later
  title: Later
---
A book.
-- testdata/three.json --
{"acts": [
  {"by": "kubectl delete", "object": "Pod a", "state": "Terminating", "ready": 2},
  {"by": "loop", "call": "Create", "object": "Pod b", "state": "Pending", "ready": 2, "file": "01-loop/loop.go", "line": 4, "func": "Loop"},
  {"by": "scheduler", "call": "Bind", "object": "Pod b", "node": "node-1", "ready": 2, "file": "01-loop/loop_test.go", "line": 5, "func": "TestLoop"},
  {"after": 1500000, "by": "loop", "call": "UpdateStatus", "object": "ReplicaSet a", "changes": ["readyReplicas 3"], "ready": 3, "file": "01-loop/loop.go", "line": 4, "func": "Loop"}]}
`

func TestTheRunOfTheFrontPageLeadsToTheLinesThatAct(t *testing.T) {
	home := string(mustCompose(t, options(t, played)).Files["index.html"])
	acts := regexp.MustCompile(`<li data-ready="\d">.*?</li>`).FindAllString(home, -1)
	assert.Equal(t, []string{
		`<li data-ready="2"><span>&#43;0s</span> <b>kubectl delete</b> Pod a: Terminating</li>`,
		`<li data-ready="2"><span>&#43;0s</span> <b>loop</b> creates Pod b: Pending <a href="01-loop/index.html#Loop">Loop, loop.go:4</a></li>`,
		`<li data-ready="2"><span>&#43;0s</span> <b>scheduler</b> binds Pod b to node-1 <a href="01-loop/loop_test.go.html#L5">TestLoop, loop_test.go:5</a></li>`,
		`<li data-ready="3"><span>&#43;1.5s</span> <b>loop</b> writes the status of ReplicaSet a: readyReplicas 3 <a href="01-loop/index.html#Loop">Loop, loop.go:4</a></li>`,
	}, acts)
}
