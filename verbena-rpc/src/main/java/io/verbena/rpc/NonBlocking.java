// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that a service, or one of its methods, never blocks and is quick. It is then called by the
 * thread that received the request, which saves a change of threads; while it runs, other
 * connections of that thread wait. It may still answer later, from another thread.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface NonBlocking {}
