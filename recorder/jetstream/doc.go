// Package jetstream lets many machines work on one workspace, over NATS with JetStream.
//
// Each machine keeps an ordinary workspace on its disk, and the ordinary recorder writes it. The cluster keeps how the
// files that are the truth grow: a session's log and conversations, the ledger, memory's journal. Each has a subject. A
// message there says "keep so many bytes of the file, then these". [Cluster.Layer] stands between the recorder and the
// disk: it publishes every change of such a file, with the sequence of the message that it follows, and lets the disk
// have it when the cluster has acknowledged it. So what a machine has on disk is never ahead of the cluster, two
// machines can never both append to a file, and the messages of a file in order, see [Cluster.Pull], are the file, byte
// for byte. Everything else in a workspace is derived from these files and rendered again wherever it is wanted.
//
// Topics wait in a queue, and a record each says who has it: see [Cluster.Take]. It is its own
// package because it is the only one that knows NATS.
package jetstream
