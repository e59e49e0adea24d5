package sql

// HasWords reports whether an error's number has its words.
func HasWords(code uint16) bool { return errorTexts[code][1] != "" }

var Variables = variables
