// Package voice counts signs by which a text sounds written or spoken: how
// often it contracts, who speaks in it, how its sentences begin, how long they
// are, which words it has too often, what only leads to a listing; and, in the comments of Go code, habits that Go's own comments do not
// have. It judges nothing; a person who reads aloud does.
//
// In reading order: voice.go (the counts), prose.go (the paragraphs to count
// in), comment.go (the counts in comments), anchor.go (other people's code),
// table.go (the report).
package voice

import (
	"regexp"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
)

// Voice holds the counts of a text.
type Voice struct {
	Words, Sentences int
	Paragraphs       int // of the text itself: not in lists, notes and answers
	Contractions     int // isn't, it's, you'll
	Speakers         int // I, we, our
	Nobodies         int // words that someone matches
	Its              int // sentences that begin with It
	Short            int // sentences of eight words or fewer
	Colons           int
	Semicolons       int
	Looks            int // look, in any sense
	Headless         int // the one who, those who
	Moves            int // goes, gone, comes, came: mostly of things
	Long             int // sentences of more than 32 words
	LeadIns          int // paragraphs of a line before a listing
}

const (
	shortest = 8  // words of a short sentence
	longest  = 32 // of one that can still be read once
)

var (
	contraction = regexp.MustCompile(`(?i)\b(?:\w+n’t|\w+’(?:re|ve|ll|m|d)|(?:it|that|there|here|what|who|where|how|let|he|she|nothing|everything)’s)\b`)
	speaker     = regexp.MustCompile(`\b(?:I|[Ww]e|[Oo]ur)\b`)
	someone     = regexp.MustCompile(`(?i)\b(?:nobody|somebody|whoever)\b`)
	looks       = regexp.MustCompile(`(?i)\blook(?:s|ed|ing)?\b`)
	nounless    = regexp.MustCompile(`(?i)\b(?:whoever|whomever|(?:the ones?|those|anyone|anybody|somebody|someone|nobody|everybody|all) who|(?:for|to|of|by|with) whom?)\b`)
	moves       = regexp.MustCompile(`(?i)\b(?:goes|gone|comes|came)\b`)
	sentenceEnd = regexp.MustCompile(`[.!?…][”’)"']*(?:\s+|$)`)
)

// Of counts in the prose of a document.
func Of(doc *book.Document) Voice {
	var v Voice
	for _, text := range prose(doc) {
		v.Words += len(strings.Fields(text))
		v.Contractions += len(contraction.FindAllString(text, -1))
		v.Speakers += len(speaker.FindAllString(text, -1))
		v.Nobodies += len(someone.FindAllString(text, -1))
		v.Colons += strings.Count(text, ":")
		v.Semicolons += strings.Count(text, ";")
		v.Looks += len(looks.FindAllString(text, -1))
		v.Headless += len(nounless.FindAllString(text, -1))
		v.Moves += len(moves.FindAllString(text, -1))
		for _, sentence := range sentences(text) {
			v.Sentences++
			words := strings.Fields(sentence)
			if len(words) <= shortest {
				v.Short++
			}
			if len(words) > longest {
				v.Long++
			}
			if strings.Trim(words[0], "“‘(") == "It" || strings.HasPrefix(words[0], "It’") {
				v.Its++
			}
		}
	}
	v.Paragraphs, v.LeadIns = leadIns(doc)
	return v
}

// sentences cuts a paragraph at the end of each sentence, unless the next
// begins with a small letter.
func sentences(text string) []string {
	var all []string
	start := 0
	for _, end := range sentenceEnd.FindAllStringIndex(text, -1) {
		rest := strings.TrimLeft(text[end[1]:], "“‘(")
		if rest != "" && rest[0] >= 'a' && rest[0] <= 'z' {
			continue
		}
		all = append(all, text[start:end[1]])
		start = end[1]
	}
	if strings.TrimSpace(text[start:]) != "" {
		all = append(all, text[start:])
	}
	return all
}

// Add adds the counts of another text.
func (v Voice) Add(o Voice) Voice {
	return Voice{
		v.Words + o.Words, v.Sentences + o.Sentences, v.Paragraphs + o.Paragraphs, v.Contractions + o.Contractions, v.Speakers + o.Speakers,
		v.Nobodies + o.Nobodies, v.Its + o.Its, v.Short + o.Short, v.Colons + o.Colons, v.Semicolons + o.Semicolons,
		v.Looks + o.Looks, v.Headless + o.Headless, v.Moves + o.Moves, v.Long + o.Long, v.LeadIns + o.LeadIns,
	}
}
