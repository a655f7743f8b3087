/** Dead nodes and bad input: real daemons as processes, and what their users see. */
package io.vdfs.it.fault;
