package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTimingsOfAForm(t *testing.T) {
	newBook(t)
	require.NoError(t, os.MkdirAll("../../workshop", 0o755))
	require.NoError(t, os.WriteFile("../../workshop/hour.md", []byte(`---
title: An hour
summary: Short.
start: "18:00"
minutes: 60
people: 20
---

## First

- [1b Compare and act](../chapters/01-counting/exercises/1b.md)
`), 0o644))
	form := runLab(t, 0, "workshop", "timings", "--form", "hour")
	assert.Contains(t, form, "course: hour\n")
	assert.Contains(t, form, `  "1b": []  # `)
	assert.Contains(t, runLab(t, 1, "workshop", "timings", "--form", "week"), `there is no course "week"; there are hour`)

	file := filepath.Join(t.TempDir(), "hour.yaml")
	fill := func(old, new string) {
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(form, old, new, 1)), 0o644))
	}
	fill(`"1b": []`, "\"1b\": [18, 22]\n  \"1.1\": [35]")
	assert.Contains(t, runLab(t, 0, "workshop", "timings", filepath.Dir(file)), "minutes: {median: 22, people: 3}")
	for wrong, said := range map[string]string{
		`"9.9": [1]`: `hour.yaml: the book has no exercise "9.9"`,
		`"1b": [0]`:  "minutes are numbers above 0",
		`"1b": [a]`:  "this is no form",
		"wrong: [1]": "this is no form",
	} {
		fill(`"1b": []`, wrong)
		if wrong == "wrong: [1]" {
			fill("people: 0", "pupils: 0")
		}
		assert.Contains(t, runLab(t, 1, "workshop", "timings", file), said, wrong)
	}
}
