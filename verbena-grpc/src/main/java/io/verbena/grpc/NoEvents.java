// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.rpc.spi.StreamEvents;

/** Nobody listens yet. */
enum NoEvents implements StreamEvents {
    INSTANCE;

    @Override
    public void onReadable() {}

    @Override
    public void onWritable() {}

    @Override
    public void onOver(int code, String text) {}
}
