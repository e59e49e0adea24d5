// Package whole has the tests of the MySQL cluster with everything below it: the
// manifest, all controllers of the chapters before, a kubelet on each node, and kubectl.
// The chapter's own package has those that need none of these, so that an exercise's
// tests are linked in less time.
//
// In reading order: manifest_test.go, cluster_run_test.go, bring_test.go with
// bring_fixture_test.go, lag_run_test.go, note_run_test.go, manifest_faults_test.go;
// histories_test.go with histories_judge_test.go and histories_disk_test.go; ex_1_test.go
// and ex_2_test.go; main_test.go.
package whole
