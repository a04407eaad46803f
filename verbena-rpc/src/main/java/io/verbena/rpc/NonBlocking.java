// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a service, or one of its methods, that never blocks and is quick. It runs on the thread
 * that received the request, which saves a thread switch; meanwhile the other connections of that
 * thread wait. It may still answer later, from another thread.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface NonBlocking {}
