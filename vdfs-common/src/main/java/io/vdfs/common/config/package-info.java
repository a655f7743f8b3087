/**
 * Typed settings: keys with defaults and checks, and the reader of {@code vdfs-site.xml}. Read once
 * at start-up; below the composition root no code sees a string key. Immutable values, usable on
 * any thread; depends on {@code common.error}.
 */
package io.vdfs.common.config;
