/** The plug-in for YARN in real NodeManagers. */
package io.vdfs.it.yarn;
