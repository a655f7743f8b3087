/** Tests of the quickstart: its parts, and the whole command as a user runs it. */
package io.vdfs.it.quickstart;
