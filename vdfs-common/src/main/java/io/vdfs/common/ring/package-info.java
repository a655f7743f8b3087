/**
 * The hash ring: which nodes hold which group of which file, and how a ring map is planned when
 * nodes come and go. Immutable values and pure functions, usable on any thread; uses {@code model}
 * and {@code error} and, in the codec alone, the generated wire messages.
 */
package io.vdfs.common.ring;
