package io.vdfs.it.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;

/** A test of one of Hadoop's suites that runs differently here: JUnit 5 wants to be told. */
@Test
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface SuiteTest {}
