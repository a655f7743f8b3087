package io.vdfs.it.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test of one of Hadoop's suites that runs differently here. JUnit 4 knows from the suite that it
 * is one.
 */
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.METHOD)
@interface SuiteTest {}
