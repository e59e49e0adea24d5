// Package view is the page in which a running cluster, or a record of one, is looked
// at: scripts and style. There is no library: comparing trees of a thousand cells ten
// times a second costs more than changing the few that differ (set). The package imports
// nothing of the house; a server delivers the files, and a stream of entries.
//
// A script asks for the view by lookView(root, source), which draws into the element
// root what source tells:
//
//	follow(take)         calls take with arrays of entries: all there are, then what is
//	                     new; returns a function that stops it
//	versions(kind, key)  a promise of an object's versions, oldest first:
//	                     [{n, v, at, lane, object}]
//	waits(kind, key)     a promise of what an object has waited for: [{n, reason, links:
//	                     [{of, says}], until, beside, remedy}], each from entry n on; one
//	                     that has now is known for now alone; absent where that's unknown
//	act(verb, params)    a promise of a line of text, or of an Error that says why not;
//	                     absent where nothing can be held
//	name                 a title
//	whole                whether the run has ended
//	at                   the entry to open at: without it, the latest
//	linked               whether the page's address says what is shown
//
// It returns show({at, select}) and close(). An entry that isn't greater than the one
// before begins the record again.
//
// Reading order: view.go; page.html is the lab's page, with page.css and page.js. Of
// scripts, state.js folds entries into a cluster at one instant, record.js keeps entries
// and the states between them, words.js says them, kin.js knows what is of an object;
// view.js links the six views, of which each has a file; yaml.js prints and compares
// objects; hold.js and time.js are the bar above: what holds loops, and the whole run in
// a strip.
package view
