package figure

import "html/template"

// Loop is a placeholder.
func Loop(id string) template.HTML { return "" }
