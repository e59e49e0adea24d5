// Package mysqlcluster is what the whole book was for: a MySQL master, its slaves,
// their disks and their names, run by the controllers of the chapters before, from
// one manifest, first simulated and then with real servers. The package itself is a
// server that can be killed at any byte and copied while it runs.
//
// In reading order:
//
//	images.go         what the manifest runs
//	config_read.go    files of a ConfigMap, all of one version
//	options.go        what a server is told
//	redo.go           the log from which everything is made again: redo_record.go,
//	                  how its end is known; redo_checkpoint.go, why it does not
//	                  grow; redo_change.go, what is in it
//	server.go         what a statement goes through; server_keep.go, into which
//	                  log first; server_gate.go, alone
//	server_mysqld.go  from a container's start to a server that listens;
//	                  server_entrypoint.go, over an empty disk
//	server_serve.go   connections; server_query.go, what they ask;
//	                  server_write.go, whether they may write; server_show.go and
//	                  server_variables.go, about the server; server_log.go
//	binlog.go         what slaves are told; binlog_dump.go, how
//	replica.go        follows a master: replica_master.go, which;
//	                  replica_follow.go, over the network; replica_execute.go, a
//	                  statement; replica_skip.go, none; replica_status.go
//	backup.go         xtrabackup: backup_snapshot.go, under the lock;
//	                  backup_files.go, the notes; backup_prepare.go
//
// Below it:
//
//	promote            an operator that makes a slave the master
//	sql, wire, client  a SQL engine, MySQL's protocol, mysql and mysqladmin
//	show               the tables in which a server shows itself
//	folder, xbstream   a disk that a kill -9 cuts off, and the stream of a copy
//	oci                a runtime of real containers; see its own doc
//	whole              tests of all of it, in a lab: they judge no exercise
//	exercises          those whose answer is a package
package mysqlcluster
