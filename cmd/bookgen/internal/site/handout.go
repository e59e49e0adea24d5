package site

// handoutPages returns what a room is given on paper, and the answers apart.
func handoutPages(b *Book, c *Course) []*page {
	return []*page{
		{Path: c.Path("handout.html"), Kind: "handout", Course: c, Heading: title(c.Title+": the handout", b.Title),
			Description: "The exercises of the course, with room to write: " + c.Title + "."},
		{Path: c.Path("answers.html"), Kind: "answers", Course: c, Heading: title(c.Title+": answers", b.Title),
			Description: "The answers to the exercises of the course, and those that people give instead: " + c.Title + "."},
	}
}

// sheet is an exercise of the handout, where the course has it.
type sheet struct {
	*Session
	Item
}

// Sheets returns the exercises of the page's course, in their order.
func (p *page) Sheets() []sheet {
	var all []sheet
	for i := range p.Course.Sessions {
		s := &p.Course.Sessions[i]
		for _, item := range s.Items {
			if item.Task != nil {
				all = append(all, sheet{s, item})
			}
		}
	}
	return all
}

// Lines are those to write on, an exercise.
func (*page) Lines() [12]struct{} { return [12]struct{}{} }
