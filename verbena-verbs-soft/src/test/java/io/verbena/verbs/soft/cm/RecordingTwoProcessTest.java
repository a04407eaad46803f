// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.DeviceContext;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Two processes over a device without a data path. */
class RecordingTwoProcessTest extends TwoProcessScenarios {
    @TempDir private Path folder;

    @Override
    DeviceContext openContext() {
        return new RecordingContext(folder, CmTimeouts.DEFAULT);
    }

    @Override
    String folder() {
        return folder.toString();
    }
}
