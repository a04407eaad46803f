// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

/** What the codes of tries mean to a balancer. */
final class Feedback {
    /** brpc's EBACKUPREQUEST: another try was answered first. */
    private static final int OVERTAKEN = 1007;

    /** Linux's ECANCELED: the caller gave up. */
    private static final int CANCELED = 125;

    private Feedback() {}

    /** {@return whether the try ended for a reason that says nothing about its server} */
    static boolean isCutShort(int errorCode) {
        return errorCode == OVERTAKEN || errorCode == CANCELED;
    }
}
