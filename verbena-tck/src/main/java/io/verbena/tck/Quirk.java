// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

/**
 * A documented difference between a device and the reference, which follows the InfiniBand
 * Architecture Specification, volume 1 ("IBTA" below). A provider lists its quirks in {@link
 * VerbsFixture#quirks()}; a test then expects the other status or is skipped with the quirk's name.
 */
public enum Quirk {
    /**
     * Inline data is read through the memory region its key names, so the key must be right. On
     * adapters the processor reads inline data and the key is not looked at. The software device
     * does not read memory that nobody registered: a wrong address must not end the process.
     */
    INLINE_DATA_NEEDS_A_REGION,

    /**
     * A SEND longer than the receive ends with REMOTE_OPERATION at the sender and
     * LOCAL_QP_OPERATION at the receiver. IBTA 9.9.3 (responder errors) has the answer "invalid
     * request", hence REMOTE_INVALID_REQUEST and LOCAL_LENGTH; the kernel's soft-RoCE (rxe, Linux
     * 6.1) answers "remote operational error".
     */
    OVERSIZED_SEND_REPORTED_AS_OPERATION_ERROR,

    /**
     * The GRH bit is set in the flags of every receive completion. IBTA 11.4.2.1 (poll for
     * completion) has it for datagrams only; rxe sets it for connected queue pairs too.
     */
    GRH_FLAG_ON_EVERY_RECEIVE,

    /**
     * A retry count of seven never gives up. IBTA 9.7.5.2.8 (RNR NAK) gives that meaning to the RNR
     * retry count alone; rxe gives it to both.
     */
    RETRY_COUNT_SEVEN_IS_INFINITE,

    /**
     * The receive that a write with immediate data would have consumed is flushed like all others
     * when the write fails the key check, rather than completed with LOCAL_ACCESS (IBTA 11.6.2,
     * completion return status); so do rxe and most adapters.
     */
    NO_LOCAL_ACCESS_STATUS,

    /**
     * A queue armed for solicited events wakes for flushed receives but for no other failure. IBTA
     * 11.4.2.2 (request completion notification) has it wake for every failure; rxe looks at
     * flushed receives alone.
     */
    SOLICITED_ONLY_FLUSHED_ERRORS,

    /**
     * A read or atomic posted on a queue pair that may have none outstanding waits for ever instead
     * of failing with LOCAL_QP_OPERATION (IBTA 9.9.2, requester errors); rxe counts the limit only
     * when it schedules requests.
     */
    READ_WITHOUT_RESOURCES_STALLS,

    /**
     * A receive with a bad element that a SEND hits ends with LOCAL_QP_OPERATION rather than
     * LOCAL_PROTECTION (IBTA 11.6.2); the sender sees REMOTE_OPERATION as with the reference.
     */
    BAD_RECEIVE_REPORTED_AS_OPERATION_ERROR,

    /**
     * The local elements of an atomic may hold more or fewer than the eight bytes of its result;
     * the reference ends such a request with LOCAL_LENGTH (IBTA 11.6.2).
     */
    ATOMIC_LENGTH_UNCHECKED,

    /**
     * A request with too many elements or too much inline data is refused with ENOMEM, rather than
     * EINVAL; the manual of {@code ibv_post_send} leaves the number open.
     */
    MALFORMED_POST_REPORTED_AS_ENOMEM,

    /**
     * Send-queue slots of unsignaled requests are free as soon as the requests are done. IBTA
     * 10.8.5 lets a consumer count on them only when a later signaled completion has been polled,
     * and so does the reference, to show the mistake of those who never signal; rxe frees them at
     * once.
     */
    UNSIGNALED_SLOTS_FREED_EARLY,

    /**
     * A message longer than the port's maximum is sent, or refused when posted, rather than ended
     * with LOCAL_LENGTH (IBTA 9.9.2).
     */
    MESSAGE_LENGTH_UNCHECKED
}
