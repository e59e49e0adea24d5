package highlight

import (
	"fmt"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"reconcile/cmd/bookgen/internal/node"
)

// Other marks up code in another language, with the classes that Go has. The
// language "text" has no markup; an unknown one is an error.
func Other(language, code string) (node.List, error) {
	switch language {
	case "text":
		return node.List{node.Text(code)}, nil
	case "go":
		return NewCode([]byte(code), nil).Nodes(0, len(code), nil), nil
	}
	all, err := taken(language, code)
	if n := len(all); n > 0 { // a lexer ends the last line
		last := all[n-1]
		for last.FirstChild != nil {
			last = last.LastChild
		}
		last.Data = strings.TrimSuffix(last.Data, "\n")
	}
	return all, err
}

// taken returns code as chroma takes it apart.
func taken(language, code string) (node.List, error) {
	lexer := lexers.Get(language)
	if lexer == nil {
		return nil, fmt.Errorf("language %q is not known", language)
	}
	iterator, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return nil, err
	}
	var all node.List
	key := "" // of YAML, the latest
	for token := range iterator.Stdlib() {
		if token.Type == chroma.NameTag {
			key = token.Value
		}
		if language == "yaml" && token.Type == chroma.LiteralStringDoc && holdsScript(key) {
			script, err := taken("sh", token.Value)
			if err != nil {
				return nil, err
			}
			all = append(all, script...)
			continue
		}
		element, class := markup(token.Type)
		if element == "" || strings.TrimSpace(token.Value) == "" {
			all = append(all, node.Text(token.Value))
			continue
		}
		all = append(all, node.New(element, node.Attr("class", class), token.Value))
	}
	return all, nil
}

// holdsScript reports whether a block of text under a key of a manifest is for a
// shell.
func holdsScript(key string) bool {
	return key == "command" || key == "args" || strings.HasSuffix(key, ".sh")
}

func markup(t chroma.TokenType) (element, class string) {
	switch {
	case t.InCategory(chroma.Comment):
		return "i", "e"
	case t.InCategory(chroma.Keyword), t == chroma.NameTag, t == chroma.NameAttribute:
		return "b", ""
	case t.InSubCategory(chroma.LiteralNumber):
		return "i", "n"
	case t.InCategory(chroma.Literal):
		return "i", "s"
	}
	return "", ""
}
