// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

/**
 * One of the {@link BlockPoolOptions}, for those who list them.
 *
 * @param name the name of its flag
 * @param value a Long, a Boolean or a String
 * @param initial the value it has unless another is set
 * @param least the smallest number it may be; meaningless if it is not a number
 * @param most the largest number it may be; meaningless if it is not a number
 */
public record BlockPoolSetting(String name, Object value, Object initial, long least, long most) {}
