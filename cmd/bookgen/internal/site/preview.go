package site

// A Card has the words of the picture that stands for a page in previews of links.
type Card struct {
	File                string // the picture's path in the site
	Above, Title, Below string
}

// Cards returns the cards of all pages, each once: a listing has that of its chapter.
func Cards(b *Book) []Card {
	var cards []Card
	seen := map[string]bool{}
	for _, p := range pages(b) {
		if card := p.card(); !seen[card.File] {
			seen[card.File] = true
			cards = append(cards, card)
		}
	}
	return cards
}

// card returns the page's own card, or that of the chapter or the book.
func (p *page) card() Card {
	part := p.Part
	if part == nil && p.Chapter != nil && len(p.Chapter.Parts) > 0 {
		part = p.Chapter.Parts[0]
	}
	switch {
	case part != nil:
		return Card{"previews/" + part.Slug + ".png", p.Book.Title + " · " + part.Page, part.Title, p.Chapter.Title}
	case p.Beside != nil:
		return Card{"previews/" + p.Beside.File + ".png", p.Book.Title, p.Beside.Title, ""}
	}
	return Card{"previews/book.png", "", p.Book.Title, p.Book.Subtitle}
}

// Picture returns the address of the picture for link previews, which has to be a whole
// one, or nothing where none was drawn.
func (p *page) Picture() string {
	if !p.Book.Previews || p.left != nil {
		return ""
	}
	return p.Book.Absolute(p.card().File)
}
