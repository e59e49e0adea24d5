// Package whole has the tests in which all of the manifest runs, in a lab. They judge
// no exercise, so that what judges one links no lab.
package whole
