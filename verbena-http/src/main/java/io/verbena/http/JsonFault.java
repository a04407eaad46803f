// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is said about JSON that cannot be read: where the fault is, and nothing of its text. */
final class JsonFault {
    private static final Pattern POSITION = Pattern.compile("at line \\d+ column \\d+");

    private JsonFault() {}

    /** {@return the exception for a body that is not the JSON of a message} */
    static InvalidProtocolBufferException of(
            InvalidProtocolBufferException fault, Descriptor message) {
        Matcher position = POSITION.matcher(String.valueOf(fault.getMessage()));
        InvalidProtocolBufferException told =
                new InvalidProtocolBufferException(
                        "not the JSON of "
                                + message.getFullName()
                                + (position.find() ? ", " + position.group() : ""));
        told.setUnfinishedMessage(fault.getUnfinishedMessage());
        return told;
    }
}
