// Package mysqlcluster is what the whole book was for: a MySQL master, its slaves,
// their disks and their names, run by the controllers of the chapters before, from
// one manifest, first simulated and then with real servers.
package mysqlcluster
