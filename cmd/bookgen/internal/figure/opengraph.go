package figure

// OpenGraph is a placeholder.
func OpenGraph() []byte { return nil }
