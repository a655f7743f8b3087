/** Commands that tests run in JVMs of their own, as an application would be. */
package io.vdfs.it.tools;
