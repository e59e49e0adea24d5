package mysqlcluster

import (
	"reconcile/chapters/07-mysql-cluster/show"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// show answers SHOW where it is about the server.
func (c *connection) show(st *sql.Show) (*sql.Result, error) {
	s := c.server
	switch st.What {
	case "MASTER STATUS":
		end := wire.Position{}
		if s.binlog != nil {
			end = s.binlog.status()
		}
		return show.MasterStatus(end), nil
	case "BINARY LOGS":
		if s.binlog == nil {
			return nil, sql.NewError(1381)
		}
		ends, err := s.binlog.sizes()
		return show.BinaryLogs(ends), err
	case "SLAVE STATUS":
		status := show.SlaveStatus(s.replica.status())
		return status, s.kept()
	case "SLAVE HOSTS":
		var slaves []uint32
		for _, one := range s.connections.all() {
			one.mu.Lock()
			if one.command == "Binlog Dump" {
				slaves = append(slaves, one.slave)
			}
			one.mu.Unlock()
		}
		return show.SlaveHosts(s.ServerID, slaves), nil
	case "PROCESSLIST":
		return show.Processes(s.processes()), nil
	case "VARIABLES":
		s.mu.RLock()
		defer s.mu.RUnlock()
		return show.Variables(st, own, s.variable), nil
	case "STATUS":
		return show.Named(st, [][]sql.Value{
			{"Threads_connected", sql.Text(int64(len(s.connections.all())))},
			{"Uptime", sql.Text(show.Seconds(s.began))},
		}), nil
	}
	return nil, errNotManaged
}

// kept waits until what was executed up to now is in the redo log: a position
// that a client is told is one from which a kill does not lead back.
func (s *server) kept() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.failed
}

// processes returns the replica's threads and the connections.
func (s *server) processes() []show.Process {
	all := s.replica.processes()
	for _, one := range s.connections.all() {
		all = append(all, one.process())
	}
	return all
}

func (c *connection) process() show.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := show.Process{ID: int64(c.ID), User: c.user, Host: c.Host, DB: c.db,
		Command: c.command, Since: c.since}
	switch c.command {
	case "Query":
		p.State, p.Info = "starting", c.sql
	case "Binlog Dump":
		p.State = "Master has sent all binlog to slave; waiting for more updates"
	}
	return p
}
