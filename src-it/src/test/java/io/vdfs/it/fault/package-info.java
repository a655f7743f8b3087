/** Dead nodes and bad input: real daemons as processes, and what their users get to see. */
package io.vdfs.it.fault;
