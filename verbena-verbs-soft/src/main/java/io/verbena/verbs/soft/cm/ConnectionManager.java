// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Gid;
import io.verbena.verbs.spi.ConnectionState;
import io.verbena.verbs.spi.QueuedEventChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The connection manager of an open software device: what its identifiers share. Two processes meet
 * at sockets in a folder; it uses the device through the public API, as an application would.
 */
public final class ConnectionManager {
    /** The only port of the software device. */
    static final int PORT = 1;

    /**
     * The index of the port's global identifier that connections use: the one for shared memory.
     */
    static final int GID_INDEX = 0;

    private final DeviceContext context;
    private final CmFolder folder;
    private final CmTimeouts timeouts;
    private final CmThreads threads = new CmThreads();

    /**
     * A connection manager.
     *
     * @param context the device
     * @param folder where the listening sockets are; only its owner may look inside
     */
    public ConnectionManager(DeviceContext context, Path folder) {
        this(context, new CmFolder(folder), CmTimeouts.DEFAULT);
    }

    ConnectionManager(DeviceContext context, CmFolder folder, CmTimeouts timeouts) {
        this.context = context;
        this.folder = folder;
        this.timeouts = timeouts;
    }

    /**
     * Removes the sockets that killed processes left in a folder.
     *
     * @param folder where the listening sockets are
     * @throws IOException if the folder cannot be read or changed
     */
    public static void sweep(Path folder) throws IOException {
        CmPort.sweep(new CmFolder(folder));
    }

    /**
     * {@return a new channel}
     *
     * @param onClosed called when it has been closed
     */
    public QueuedEventChannel createEventChannel(Consumer<QueuedEventChannel> onClosed) {
        return new QueuedEventChannel(
                context,
                channel ->
                        new SoftConnectionIdentifier(
                                this, ConnectionState.IDLE, Optional.of(channel)),
                onClosed);
    }

    DeviceContext context() {
        return context;
    }

    CmFolder folder() {
        return folder;
    }

    /** {@return how long peers may take} */
    CmTimeouts timeouts() {
        return timeouts;
    }

    CmThreads threads() {
        return threads;
    }

    Gid gid() {
        return context.queryGids(PORT).get(GID_INDEX).gid();
    }
}
