// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.DeviceContext;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Two processes over a device without a data path. */
class RecordingTwoProcessTest extends TwoProcessScenarios {
    @TempDir private Path parent;

    @Override
    DeviceContext openContext() {
        return new RecordingContext(SoftDirectory.open(Path.of(folder())), CmTimeouts.DEFAULT);
    }

    @Override
    String folder() {
        return parent.resolve("d").toString();
    }
}
