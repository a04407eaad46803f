// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.function.BiConsumer;

/**
 * One connection of the send/receive programs with its two buffers; {@code struct connection} of
 * the tutorial's {@code rdma_send_recv}.
 */
final class SendReceiveConnection implements CompletionHandler {
    private final SharedContext context;
    private final ConnectionIdentifier identifier;
    private final Progress progress;
    private final BiConsumer<SendReceiveConnection, WorkCompletion> onCompletion;
    private final QueuePair pair;
    private final MemoryRegion sendRegion;
    private final MemoryRegion receiveRegion;
    private final Arena arena = Arena.ofShared();
    private final long id;

    /**
     * Builds the queue pair and registers the memory.
     *
     * @param context what is shared
     * @param identifier the connection to be
     * @param progress its progress
     * @param onCompletion what to do with each completion, on the poller thread
     */
    SendReceiveConnection(
            SharedContext context,
            ConnectionIdentifier identifier,
            Progress progress,
            BiConsumer<SendReceiveConnection, WorkCompletion> onCompletion) {
        this.context = context;
        this.identifier = identifier;
        this.progress = progress;
        this.onCompletion = onCompletion;
        pair = identifier.createQueuePair(context.domain(), context.queuePairOptions());
        sendRegion = registerMemory();
        receiveRegion = registerMemory();
        // In C the work requests carry the connection's address; here they carry that of its
        // buffer.
        id = receiveRegion.address();
        context.add(id, this);
    }

    private MemoryRegion registerMemory() {
        return context.domain()
                .allocate(MessageText.BUFFER_SIZE, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    }

    Progress progress() {
        return progress;
    }

    /** Offers the receive buffer to the peer; must come before anything that lets the peer send. */
    void postReceive() {
        progress.posting();
        pair.postReceive(
                ReceiveWorkRequest.allocate(arena, 1)
                        .id(id)
                        .element(receiveRegion, 0, MessageText.BUFFER_SIZE));
    }

    /**
     * Sends a text; the message is always the whole buffer.
     *
     * @param text what to send
     */
    void postSend(String text) {
        MessageText.put(sendRegion.memory(), text);
        progress.posting();
        pair.postSend(
                SendWorkRequest.allocate(arena, 1)
                        .id(id)
                        .element(sendRegion, 0, MessageText.BUFFER_SIZE));
    }

    /** {@return the text that was received} */
    String received() {
        return MessageText.get(receiveRegion.memory());
    }

    void disconnect() {
        identifier.disconnect();
    }

    /**
     * {@return whether a completion is a success; a flush, the normal end of what is posted when
     * the connection ends, is not}
     *
     * @param completion what to look at
     * @throws ExampleException if it failed in any other way
     */
    static boolean isSuccess(WorkCompletion completion) {
        return switch (completion.status()) {
            case SUCCESS -> true;
            case WORK_REQUEST_FLUSHED -> false;
            default ->
                    throw new ExampleException(
                            "work request failed: status " + StatusText.of(completion));
        };
    }

    @Override
    public void onCompletion(WorkCompletion completion) {
        try {
            onCompletion.accept(this, completion);
        } catch (RuntimeException e) {
            onFailure(e);
        } finally {
            progress.completed();
        }
    }

    @Override
    public void onFailure(RuntimeException failure) {
        progress.fail(failure);
        try {
            identifier.disconnect();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public void close() {
        context.remove(id);
        identifier.close();
        receiveRegion.close();
        sendRegion.close();
        arena.close();
    }
}
