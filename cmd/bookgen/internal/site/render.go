package site

// Render makes every file of the site: slash-separated path to content.
func Render(b *Book) (map[string][]byte, error) {
	return map[string][]byte{"index.html": []byte(b.Home)}, nil
}
