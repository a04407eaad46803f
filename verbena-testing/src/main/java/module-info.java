// SPDX-License-Identifier: Apache-2.0

/** What the tests of several modules share; it knows none of them. */
module io.verbena.testing {
    requires HdrHistogram;
    requires java.management;
    requires jdk.management;
    requires org.assertj.core;

    exports io.verbena.testing;
}
