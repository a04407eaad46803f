// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.verbena.rpc.wire.MetaWriter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The names of methods that are called by their descriptors, encoded once. Any thread. */
final class EncodedNames {
    private final Map<MethodDescriptor, byte[]> names = new ConcurrentHashMap<>();

    /** Tries get first: computeIfAbsent may lock even if the key is present. */
    byte[] of(MethodDescriptor method) {
        byte[] known = names.get(method);
        return known != null ? known : names.computeIfAbsent(method, EncodedNames::encode);
    }

    private static byte[] encode(MethodDescriptor method) {
        return MetaWriter.names(method.getService().getFullName(), method.getName());
    }
}
