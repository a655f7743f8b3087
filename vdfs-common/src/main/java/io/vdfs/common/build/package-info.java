/** The release and commit of a build, as the manifest of the jar says. */
package io.vdfs.common.build;
