// Package mysqlcluster is what the whole book was for: a MySQL master, its slaves,
// their disks and their names, run by the controllers of the chapters before, from
// one manifest, first simulated and then with real servers. The package itself is a
// server that can be killed at any byte and copied while it runs.
//
// In reading order:
//
//	images            what the manifest runs
//	options           what a server is told
//	redo              the log from which everything is made again: redo_record, how
//	                  its end is known; redo_checkpoint, why it does not grow;
//	                  redo_change, what is in it
//	server            what a statement goes through; server_gate, alone
//	server_mysqld     from a container's start to a server that listens
//	server_serve      connections; server_query, what they ask; server_show and
//	                  server_variables, about the server itself; server_log
//	binlog            what slaves are told; binlog_dump, how
//	replica           follows a master: replica_master, which; replica_follow, over
//	                  the network; replica_execute, a statement; replica_status
//	backup            xtrabackup: backup_snapshot, under the lock; backup_prepare
//
// Below it:
//
//	sql, wire, client  a SQL engine, MySQL's protocol, mysql and mysqladmin
//	show               the tables in which a server shows itself
//	folder, xbstream   a disk that a kill -9 cuts off, and the stream of a copy
//	oci                a runtime of real containers; see its own doc
//	exercises          those whose answer is a package
package mysqlcluster
