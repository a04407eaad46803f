// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SharedBlocksTest {
    private static final long BYTES = 4096;

    private boolean areReleased;
    private boolean isShort;

    @Test
    void shouldHandOutEachBlockOnceAlthoughMemoryRanOut() {
        try (DeviceContext context = Devices.open("soft0")) {
            SoftDevice device = ((SoftDeviceContext) context).softDevice();
            SharedBlocks blocks = new SharedBlocks(device.segments(), BYTES, 4);
            List<SharedBlock> given = Stream.generate(blocks::take).limit(3).toList();
            blocks.giveBackWhenReleased(given.get(0), () -> areReleased);
            blocks.giveBackWhenReleased(given.get(1), this::isReleasedIfThereIsMemory);
            blocks.giveBackWhenReleased(given.get(2), () -> areReleased);
            areReleased = true;
            isShort = true;

            assertThatThrownBy(blocks::take).isInstanceOf(OutOfMemoryError.class);
            isShort = false;

            assertThat(Stream.generate(blocks::take).limit(6)).doesNotHaveDuplicates();
        }
    }

    private boolean isReleasedIfThereIsMemory() {
        if (isShort) {
            throw new OutOfMemoryError("thrown by the test");
        }
        return areReleased;
    }
}
