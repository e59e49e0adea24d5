package mysqlcluster

import (
	"time"

	"reconcile/chapters/07-mysql-cluster/show"
	"reconcile/chapters/07-mysql-cluster/sql"
)

// status returns what SHOW SLAVE STATUS has to say, or nil without a master.
func (r *replica) status() *show.Slave {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.master
	if m == nil {
		return nil
	}
	return &show.Slave{
		Host: m.Host, User: m.User, Port: m.Port, Retry: m.Retry, ServerID: r.id,
		InfoFile: dataDirectory + "/" + masterInfo,

		IO: r.io, SQL: r.sql, Connected: r.connected,
		State: r.state, SQLState: r.sqlState(),
		Read: r.read, Executed: r.source, Behind: r.behind(),
		LastIO: r.lastIO, LastSQL: r.lastSQL,

		Skip:        r.skip.left,
		RelayLog:    r.relayLog(),
		RelayLogPos: start.Pos,
	}
}

// relayLog returns the name of the file that MySQL would have: there is none.
func (r *replica) relayLog() string {
	return r.server.Hostname + "-relay-bin.000001"
}

// sqlState returns what the second thread does.
func (r *replica) sqlState() string {
	switch {
	case !r.sql:
		return ""
	case r.executing == 0:
		return "Slave has read all relay log; waiting for more updates"
	case r.server.gate.isClosed():
		return "Waiting for global read lock"
	}
	return "Reading event from the relay log"
}

// behind returns how old the event in hand is. Without one it is 0, and unknown
// as long as there could be one that has not been heard of.
func (r *replica) behind() sql.Value {
	switch {
	case !r.io || !r.sql || !r.connected:
		return nil
	case r.executing == 0:
		return int64(0)
	}
	return max(0, time.Now().Unix()-r.executing)
}

// processes returns the threads as SHOW PROCESSLIST has them.
func (r *replica) processes() []show.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []show.Process
	for i, state := range []string{r.state, r.sqlState()} {
		if i == 0 && r.io || i == 1 && r.sql {
			all = append(all, show.Process{User: "system user",
				Command: "Connect", Since: r.since, State: state})
		}
	}
	return all
}
