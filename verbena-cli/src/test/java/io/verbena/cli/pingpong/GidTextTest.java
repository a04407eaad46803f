// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Gid;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The right column is what {@code inet_ntop} of glibc makes of the left one. */
final class GidTextTest {
    @ParameterizedTest
    @CsvSource({
        "0000:0000:0000:0000:0000:0000:0000:0000, ::",
        "0000:0000:0000:0000:0000:0000:0000:0001, ::1",
        "0000:0000:0000:0000:0000:ffff:0a00:0002, ::ffff:10.0.0.2",
        "0000:0000:0000:0000:0000:0000:0a00:0002, ::10.0.0.2",
        "0000:0000:0000:0000:0000:fffe:0a00:0002, ::fffe:a00:2",
        "fe80:0000:0000:0000:5054:00ff:fe12:3456, fe80::5054:ff:fe12:3456",
        "fe80:0000:0000:0001:0000:0000:0000:0001, fe80:0:0:1::1",
        "0001:0000:0000:0002:0003:0000:0000:0004, 1::2:3:0:0:4",
        "0001:0000:0002:0003:0004:0005:0006:0007, 1:0:2:3:4:5:6:7",
        "2001:0db8:0000:0000:0000:0000:0000:0000, 2001:db8::",
        "fea2:3501:aa2d:9f7d:57fd:8728:9326:fdc7, fea2:3501:aa2d:9f7d:57fd:8728:9326:fdc7",
    })
    void shouldWriteWhatInetNtopWrites(String gid, String text) {
        assertThat(GidText.of(Gid.parse(gid))).isEqualTo(text);
    }
}
