// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;

/** The registries that can be run here. */
enum RealRegistry {
    ZOOKEEPER {
        @Override
        RegistryProcess open(Path folder, RegistryHost host) throws IOException {
            return new ZooKeeperProcess(folder, host);
        }
    },
    ETCD {
        @Override
        RegistryProcess open(Path folder, RegistryHost host) throws IOException {
            assumeTrue(
                    EtcdProcess.isInstalled(),
                    "no " + EtcdProcess.PROGRAM + ": install Debian's etcd-server");
            return new EtcdProcess(folder, host);
        }
    };

    RegistryProcess open(Path folder) throws IOException {
        return open(folder, RegistryHost.HERE);
    }

    abstract RegistryProcess open(Path folder, RegistryHost host) throws IOException;
}
