// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PerftestTest {
    private static final String LATENCY =
            """
            ---------------------------------------------------------------------------------------
             #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    \
            t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
             8       1000          30.05          412.51       33.25            40.12            10.2\
                     80.11                   412.51
            ---------------------------------------------------------------------------------------
            """;
    private static final String BANDWIDTH =
            """
             #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
             65536      1000             182.31             175.40               0.002806
            """;

    @Test
    void shouldDoubleTheHalfRoundTripOfAPingPong() {
        assertThat(Perftest.parse(TestKind.SEND_LAT, LATENCY, 8)).hasValue(66.5);
    }

    @Test
    void shouldTakeTheWholeTimeOfARead() {
        assertThat(Perftest.parse(TestKind.READ_LAT, LATENCY, 8)).hasValue(33.25);
    }

    @Test
    void shouldTakeTheAverageBandwidth() {
        assertThat(Perftest.parse(TestKind.WRITE_BW, BANDWIDTH, 65536)).hasValue(175.4);
    }

    @Test
    void shouldFindNothingInAnErrorMessage() {
        String output = " Unable to find the Infiniband/RoCE device\n";

        assertThat(Perftest.parse(TestKind.SEND_LAT, output, 8)).isEmpty();
    }

    /** It divides by a time of 0 where a clock does not move, as in some virtual machines. */
    @Test
    void shouldReadInfinity() {
        String output = " 65536 1000 inf inf 0.0\n";

        assertThat(Perftest.parse(TestKind.WRITE_BW, output, 65536))
                .hasValue(Double.POSITIVE_INFINITY);
    }
}
