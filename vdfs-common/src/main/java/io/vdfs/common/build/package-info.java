/** What was built: release and commit, as the manifest of the jar says. */
package io.vdfs.common.build;
