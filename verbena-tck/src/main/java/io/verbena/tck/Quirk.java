// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

/**
 * A documented difference between a device and the reference, which follows the InfiniBand
 * Architecture Specification, volume 1 ("IBTA" below). A provider lists its quirks in {@link
 * VerbsFixture#quirks()}; a test then expects the other status or is skipped with the quirk's name.
 */
public enum Quirk {
    /**
     * Inline data is read through the memory region its key names, so the key must be right. With
     * adapters the processor reads inline data and the key is ignored. The software device does not
     * read memory that nobody registered: a wrong address must not crash the process.
     */
    INLINE_DATA_NEEDS_A_REGION,

    /**
     * A SEND longer than the receive ends with REMOTE_OPERATION at the sender and
     * LOCAL_QP_OPERATION at the receiver. IBTA 9.9.3 (responder errors) specifies the answer
     * "invalid request", hence REMOTE_INVALID_REQUEST and LOCAL_LENGTH; the kernel's soft-RoCE
     * (rxe, Linux 6.1) answers "remote operational error".
     */
    OVERSIZED_SEND_REPORTED_AS_OPERATION_ERROR,

    /**
     * The GRH bit is set in the flags of every receive completion. IBTA 11.4.2.1 (poll for
     * completion) specifies it for datagrams only; rxe sets it for connected queue pairs too.
     */
    GRH_FLAG_ON_EVERY_RECEIVE,

    /**
     * A retry count of seven never gives up. IBTA 9.7.5.2.8 (RNR NAK) gives that meaning only to
     * the RNR retry count; rxe gives it to both.
     */
    RETRY_COUNT_SEVEN_IS_INFINITE,

    /**
     * The receive that a write with immediate data would have consumed ends with REMOTE_ACCESS when
     * the write fails the key check, rather than with LOCAL_ACCESS (IBTA 11.6.2, completion return
     * status); rxe uses the same status on both sides.
     */
    FORBIDDEN_WRITE_ENDS_RECEIVE_WITH_REMOTE_ACCESS,

    /**
     * A queue armed for solicited events wakes for flushed receives but for no other failure. By
     * IBTA 11.4.2.2 (request completion notification) it wakes for every failure; rxe checks only
     * for flushed receives.
     */
    SOLICITED_ONLY_FLUSHED_ERRORS,

    /**
     * A read or atomic posted on a queue pair that may have none outstanding waits forever instead
     * of failing with LOCAL_QP_OPERATION (IBTA 9.9.2, requester errors); rxe applies the limit only
     * when it schedules requests.
     */
    READ_WITHOUT_RESOURCES_STALLS,

    /**
     * A receive with a bad element that a SEND hits ends with LOCAL_QP_OPERATION rather than
     * LOCAL_PROTECTION (IBTA 11.6.2); the sender sees REMOTE_OPERATION, as with the reference.
     */
    BAD_RECEIVE_REPORTED_AS_OPERATION_ERROR,

    /**
     * An element of a SEND or WRITE whose key belongs to no region of the domain ends the request
     * with LOCAL_QP_OPERATION; out of bounds it is LOCAL_PROTECTION. IBTA 11.6.2 specifies
     * LOCAL_PROTECTION for both, which rxe also uses for reads.
     */
    BAD_LOCAL_KEY_REPORTED_AS_OPERATION_ERROR,

    /**
     * A misaligned atomic is refused with EINVAL when posted, rather than by the target with
     * REMOTE_INVALID_REQUEST (IBTA 9.4.5, atomic operations): rxe's library checks the address.
     */
    MISALIGNED_ATOMIC_REFUSED_WHEN_POSTED,

    /**
     * Sends posted while the queue pair is in SEND_QUEUE_DRAINED do not start when it returns to
     * READY_TO_SEND, but with the next post; rxe wakes its requester only for posts.
     */
    HELD_SENDS_WAIT_FOR_THE_NEXT_POST,

    /**
     * The event SEND_QUEUE_DRAINED comes whether it was asked for or not. IBTA 11.2.5.2 (modify
     * queue pair) specifies it on request only; rxe ignores the attribute.
     */
    DRAIN_ALWAYS_REPORTED,

    /**
     * The local elements of an atomic may hold more than the eight bytes of its result; with fewer
     * it is refused with EINVAL when posted. The reference ends both with LOCAL_LENGTH (IBTA
     * 11.6.2); rxe's library checks only the lower bound.
     */
    ATOMIC_LENGTH_UNCHECKED,

    /**
     * A receive queue takes more requests than the driver reported; rxe rounds its rings up to a
     * power of two but reports the size that was asked for.
     */
    RECEIVE_QUEUE_LONGER_THAN_GRANTED,

    /**
     * A receive posted to a queue pair in ERROR is not flushed, unless another event wakes the
     * device; by IBTA 10.3.1 (states of queue pairs) it is flushed. rxe's library puts it into the
     * ring without notifying the kernel.
     */
    RECEIVE_POSTED_IN_ERROR_STAYS,

    /**
     * A send whose completion finds the completion queue full loses it, with the event CQ_ERROR,
     * but its queue pair keeps working. IBTA 11.6.3.2 (completion queue error) leaves the queue
     * pair unusable; rxe fails it for receives only.
     */
    SEND_OVERFLOW_SPARES_THE_QUEUE_PAIR,

    /**
     * A message longer than the port's maximum is sent, rather than ended with LOCAL_LENGTH (IBTA
     * 9.9.2); rxe reports a maximum but does not check it.
     */
    MESSAGE_LENGTH_UNCHECKED
}
