package highlight

import (
	"fmt"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Other marks up code in another language, with the classes that Go has. The
// language "text" has no markup; an unknown one is an error.
func Other(language, code string) (string, error) {
	var b strings.Builder
	if language == "text" {
		escape(&b, []byte(code))
		return b.String(), nil
	}
	if language == "go" {
		return NewCode([]byte(code), nil).HTML(0, len(code), nil), nil
	}
	if err := write(&b, language, code); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// write writes code as chroma takes it apart.
func write(b *strings.Builder, language, code string) error {
	lexer := lexers.Get(language)
	if lexer == nil {
		return fmt.Errorf("language %q is not known", language)
	}
	iterator, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return err
	}
	key := "" // of YAML, the latest
	for token := range iterator.Stdlib() {
		if token.Type == chroma.NameTag {
			key = token.Value
		}
		if language == "yaml" && token.Type == chroma.LiteralStringDoc && holdsScript(key) {
			if err := write(b, "sh", token.Value); err != nil {
				return err
			}
			continue
		}
		element, class := markup(token.Type)
		if element == "" || strings.TrimSpace(token.Value) == "" {
			escape(b, []byte(token.Value))
			continue
		}
		b.WriteString("<" + element)
		attribute(b, "class", class)
		b.WriteByte('>')
		escape(b, []byte(token.Value))
		b.WriteString("</" + element + ">")
	}
	return nil
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
