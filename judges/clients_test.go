package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSessionsAreComparedButForTimesAndGeneratedNames(t *testing.T) {
	const recorded = "$ helm history shop\n1   Mon Nov 30 07:11:27 2026   deployed\n" +
		"$ kubectl get pods\nNAME   AGE\nweb-69c6f74b8b-fl8bg   4s\n$ kubectl delete pod a\npod \"a\" deleted\n"
	assert.Empty(t, difference(recorded, "$ helm history shop\n1   Tue Dec  1 09:00:00 2026   deployed\n"+
		"$ kubectl get pods\nNAME   AGE\nweb-78b558c565-6mqrg     1m3s\n$ kubectl delete pod a\npod \"a\" deleted from default namespace\n"))
	assert.Contains(t, difference("STATUS: deployed\n", "STATUS: failed\n"), "+STATUS: failed\n")
	assert.NotEmpty(t, difference("web-69c6f74b8b-fl8bg 1/1\n", "web-69c6f74b8b-fl8bg 0/1\n"))
}
