/** Every record is processed exactly once, whatever dies while a job runs. */
package io.vdfs.it.once;
