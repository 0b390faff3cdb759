// SPDX-License-Identifier: GPL-3.0-or-later
package org.junit;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands in for JUnit's where that is not installed. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Test {}
