package trial

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	// spew's types and lengths
	typed = regexp.MustCompile(`\((?:\*?(?:string|bool|byte|u?int(?:8|16|32|64)?|float64|interface \{\}|` +
		`[a-z]\w*\.\w+|\[\][^()]+|map\[[^()]+))\) (?:\(len=\d+\) |\(len=\d+ cap=\d+\) )?`)
	durations = regexp.MustCompile(`time\.Duration\{([0-9, -]*)\}`)
	object    = regexp.MustCompile(`&?\b(\w+)\{ObjectMeta:\{`)
	pointer   = regexp.MustCompile(`(?:\([^()]*(?:\(\))?\)\()?0x[0-9a-f]{5,}\)?`)
	elements  = regexp.MustCompile(`elements differ(?: extra elements in list A: (.*?))?(?: extra elements in list B: (.*?))?(?: listA: .*)?$`)
)

// forPeople returns a line in which values stand as people write them: "1m0s" for
// 60000000000, "ReplicaSet shop/web" for a whole ReplicaSet.
func forPeople(text string) string {
	text = typed.ReplaceAllString(text, "")
	text = pointer.ReplaceAllString(text, "a pointer")
	text = durations.ReplaceAllStringFunc(text, func(list string) string {
		all := strings.Split(durations.FindStringSubmatch(list)[1], ", ")
		for i, number := range all {
			if n, err := strconv.ParseInt(number, 10, 64); err == nil {
				all[i] = time.Duration(n).String()
			}
		}
		return "{" + strings.Join(all, ", ") + "}"
	})
	text = strings.ReplaceAll(text, "[]{", "{")
	if match := elements.FindStringSubmatch(text); match != nil {
		text = elements.ReplaceAllString(text, "elements differ"+said("missing", match[1])+said("too many", match[2]))
	}
	return named(text)
}

func said(what, values string) string {
	if values = strings.TrimSpace(values); values == "" {
		return ""
	}
	return ", " + what + ": " + values
}

// named returns a text in which each Kubernetes object is its kind and name.
func named(text string) string {
	for {
		at := object.FindStringSubmatchIndex(text)
		if at == nil {
			return text
		}
		kind := text[at[2]:at[3]]
		fields := strings.Fields(text[at[1]:])
		name := ""
		if len(fields) > 0 {
			name = fields[0]
		}
		if len(fields) > 2 && uid.MatchString(fields[2]) {
			name = fields[1] + "/" + name
		}
		text = text[:at[0]] + kind + " " + name + text[end(text, at[1]-len("{ObjectMeta:{")):]
	}
}

var uid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f-]{27}$`)

// end returns where a brace that opens at or behind a place is closed, or where the
// text ends.
func end(text string, from int) int {
	depth := 0
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
