package io.vdfs.yarn;

/** How the vcores of a node are determined. */
enum OvercommitMode {
  /** Processors times a factor, once at the start of the NodeManager. */
  STATIC,
  /** Between two factors, by what the node measures while it runs. */
  ADAPTIVE
}
