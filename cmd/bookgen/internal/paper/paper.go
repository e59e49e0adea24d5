package paper

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/site"
)

// PDF prints the book on sheets of a size. Two prints of the same book by the same
// Chromium are the same bytes.
func PDF(ctx context.Context, b *site.Book, size Size) ([]byte, error) {
	d := newDocument(b, size)
	press, err := start(ctx)
	if err != nil {
		return nil, err
	}
	defer press.Close()
	if err := press.put(d.files()); err != nil {
		return nil, err
	}
	for range 6 {
		page, err := d.html()
		if err != nil {
			return nil, err
		}
		pdf, err := press.print(page)
		if err != nil {
			return nil, err
		}
		lies, err := pagesOf(pdf)
		if err != nil {
			return nil, err
		}
		if d.isRight(lies) {
			if len(d.lost) > 0 {
				return nil, fmt.Errorf("print the book: these have no page: %s", strings.Join(d.lost, ", "))
			}
			return d.sealed(pdf)
		}
		d.turn(lies)
	}
	return nil, errors.New("print the book: its page numbers change with every print")
}
