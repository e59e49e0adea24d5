package mysqlcluster

// Text is how a value prints.
func Text(v Value) string { return text(v) }

// Like reports whether a string is of a pattern.
func Like(s, pattern string) bool { return like(s, pattern) }

// HasWords reports whether an error's number has its words.
func HasWords(code uint16) bool { return errorTexts[code][1] != "" }
