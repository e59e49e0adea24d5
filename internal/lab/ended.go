package lab

import (
	controlloop "reconcile/chapters/01-control-loop"
	tidy "reconcile/chapters/01-control-loop/exercises/1.9"
)

var ended = choice[func(*controlloop.System) *controlloop.Controller]{
	common: "stay",
	of: map[string]func(*controlloop.System) *controlloop.Controller{
		"stay": nil,
		"tidy": tidy.New, // exercise 1.9
	},
	refusal: "a Pod that has ended can't %q; it can %s", between: " or ",
}
