// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import io.verbena.testing.ChildJvm;
import io.verbena.testing.FreePort;
import java.nio.file.Path;

/**
 * A web server or a name server for lists of servers, which are files in a folder: who is to be
 * listed announces itself there.
 */
final class ListServerProcess implements RegistryProcess {
    private final String scheme;
    private final Path folder;
    private final int port = FreePort.choose();
    private ChildJvm jvm;

    /** Can serve the schemes {@code dns} and {@code http}. */
    ListServerProcess(String scheme, Path folder) {
        this.scheme = scheme;
        this.folder = folder;
    }

    @Override
    public String url(String name) {
        return scheme
                + "://127.0.0.1:"
                + port
                + "/"
                + (scheme.equals("dns") ? ListServerProgram.service(name) : name);
    }

    @Override
    public void start() throws InterruptedException {
        close();
        jvm =
                ChildJvm.start(
                        ClusterServer.PATIENCE,
                        ClusterServer.SMALL,
                        ListServerProgram.class,
                        scheme,
                        port,
                        folder);
        String line = jvm.line();
        // what it logs goes to the same place
        while (!line.equals(ListServerProgram.READY)) {
            line = jvm.line();
        }
    }

    @Override
    public void kill() throws InterruptedException {
        jvm.kill();
    }

    @Override
    public long pid() {
        return jvm.pid();
    }

    @Override
    public void close() {
        if (jvm != null) {
            jvm.close();
        }
    }
}
