// SPDX-License-Identifier: Apache-2.0
package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MailboxTest {
    @Test
    void shouldReceiveFromBothSenders() throws IOException {
        assertEquals(List.of("from one", "from two"), Mailbox.queue());
    }

    @Test
    void shouldGetTheMessageBack() throws IOException {
        assertEquals("hello", Mailbox.echo("hello"));
    }
}
