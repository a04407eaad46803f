// SPDX-License-Identifier: Apache-2.0
package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RemoteCounterTest {
    @Test
    void shouldCount() {
        assertEquals(100, RemoteCounter.countTo(100));
    }
}
