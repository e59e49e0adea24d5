// Package client has the programs mysql and mysqladmin, as a script in a container
// runs them: their options, the forms in which they print, their errors and their
// exit codes. Both log in over the network like any other client.
//
// In reading order: mysql.go, status.go, mysqladmin.go, options.go,
// connect.go, print.go, version.go.
package client
