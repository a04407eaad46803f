// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.protobuf.Message;

/**
 * Finds messages that JSON cannot reach: protobuf reads and writes JSON by reflection, so a module
 * must open the package of its generated messages.
 */
final class SealedMessages {
    private SealedMessages() {}

    /**
     * Says whose fault it is before protobuf blames the request.
     *
     * @param message a message, or its prototype
     * @throws IllegalStateException if its package is closed to protobuf
     */
    static void check(Message message) {
        check(message.getClass(), Message.class.getModule());
    }

    static void check(Class<?> type, Module protobuf) {
        Module module = type.getModule();
        if (!module.isOpen(type.getPackageName(), protobuf)) {
            throw new IllegalStateException(
                    "JSON cannot reach "
                            + type.getName()
                            + ": in module-info.java of "
                            + module.getName()
                            + " write: opens "
                            + type.getPackageName()
                            + " to "
                            + protobuf.getName()
                            + ";");
        }
    }
}
