// Package jetstream lets many machines work on one workspace, over NATS with JetStream.
//
// Each machine keeps an ordinary workspace on its disk, and the ordinary recorder writes it. The cluster keeps the
// growth of the files that are the truth: a session's log and conversations, the ledger, memory's journal. Each has a
// subject. A message there means "keep so many bytes of the file, then add these". [Cluster.Layer] wraps the file layer
// of the recorder: it publishes every change of such a file, with the sequence of the message that it follows, and
// changes the disk when the cluster has acknowledged it. So the disk of a machine is never ahead of the cluster, two
// machines can never both append to a file, and the messages of a file in order, see [Cluster.Pull], are the file, byte
// for byte. All other files are derived from these.
//
// Topics wait in a queue, and a record for each names its worker: see [Cluster.Take]. It is its own package because it
// is the only one that knows NATS.
package jetstream
