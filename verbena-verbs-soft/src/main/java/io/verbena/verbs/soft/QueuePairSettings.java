// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairAttributes.Attribute;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;

/** Checks the values given for a queue pair against what the software device can do. */
final class QueuePairSettings {
    private QueuePairSettings() {}

    static void check(QueuePairAttributes attributes) {
        var given = attributes.given();
        if (given.contains(Attribute.PORT)) {
            range("ibv_modify_qp", "port", attributes.port(), 1, 1);
        }
        if (given.contains(Attribute.PKEY_INDEX)) {
            range("ibv_modify_qp", "pkeyIndex", attributes.pkeyIndex(), 0, 0);
        }
        if (given.contains(Attribute.PATH)) {
            range("ibv_modify_qp", "gidIndex", attributes.sourceGidIndex(), 0, 0);
        }
        if (given.contains(Attribute.PATH_MTU) && attributes.pathMtu() == PathMtu.UNRECOGNIZED) {
            throw new VerbsException(
                    "ibv_modify_qp", Errno.EINVAL, "pathMtu: UNRECOGNIZED (expected: 256..4096)");
        }
        if (given.contains(Attribute.MAX_READ_ATOMIC)) {
            range(
                    "ibv_modify_qp",
                    "maxReadAtomic",
                    attributes.maxReadAtomic(),
                    0,
                    SoftLimits.MAX_READ_ATOMIC);
        }
        if (given.contains(Attribute.MAX_DESTINATION_READ_ATOMIC)) {
            range(
                    "ibv_modify_qp",
                    "maxDestinationReadAtomic",
                    attributes.maxDestinationReadAtomic(),
                    0,
                    SoftLimits.MAX_READ_ATOMIC);
        }
    }

    static void check(QueuePairOptions options) {
        String verb = "ibv_create_qp";
        range(verb, "maxSendRequests", options.maxSendRequests(), 1, SoftLimits.MAX_WORK_REQUESTS);
        range(
                verb,
                "maxReceiveRequests",
                options.maxReceiveRequests(),
                1,
                SoftLimits.MAX_WORK_REQUESTS);
        range(verb, "maxSendElements", options.maxSendElements(), 0, SoftLimits.MAX_ELEMENTS);
        range(verb, "maxReceiveElements", options.maxReceiveElements(), 0, SoftLimits.MAX_ELEMENTS);
        range(verb, "maxInlineBytes", options.maxInlineBytes(), 0, SoftLimits.MAX_INLINE);
    }

    static void range(String verb, String name, long value, long low, long high) {
        if (value < low || value > high) {
            throw new VerbsException(
                    verb,
                    Errno.EINVAL,
                    name + ": " + value + " (expected: " + low + ".." + high + ")");
        }
    }
}
