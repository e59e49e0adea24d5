// Package architecture holds the house to what its documents say of it: these
// tests read Go files and pages, and run nothing of the book.
//
//	arrows_test.go    who imports whom, of chapters
//	map_test.go       and of all else: go doc ./internal is the map
//	borrowed_test.go  which packages of Kubernetes itself are imported:
//	                  testdata/borrowed.txt
//	copies_test.go    no two packages have a function of the same body
//	budgets_test.go   how many lines a room may have: testdata/budgets.txt
//	scripts_test.go   no two scripts of a page declare the same name
//	listed_test.go    a package's comment lists all of its files, or none
//	words_test.go     docs/words.md is true, and names that were given up stay so
//	world_test.go     a test that meets the world says so in its name
package architecture
