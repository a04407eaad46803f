// SPDX-License-Identifier: Apache-2.0
/**
 * Verbena in a Spring Boot application: beans that implement a generated service interface are
 * served, and every channel that the properties name is a bean. Spring's own jars are not modules,
 * so this one has no descriptor either, only a name.
 */
package io.verbena.spring;
