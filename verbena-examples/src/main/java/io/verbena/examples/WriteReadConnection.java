// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.util.Locale;

/**
 * One connection of the write/read programs: four regions, two control messages and two states;
 * {@code struct connection} and {@code on_completion} of the tutorial's {@code rdma_write_read}.
 *
 * <p>The event thread builds it and, on the active side, posts the first send; from then on the
 * completions drive it, on the poller thread.
 */
final class WriteReadConnection implements CompletionHandler {
    /** One read at a time in each direction; wait forever for a peer that has no receive posted. */
    static final ConnectionParameters PARAMETERS =
            new ConnectionParameters(new byte[0], 1, 1, 0, 7);

    private final SharedContext context;
    private final ConnectionIdentifier identifier;
    private final WriteReadMode mode;
    private final PrintStream out;
    private final Progress progress = new Progress();
    private final Arena arena = Arena.ofShared();
    private final QueuePair pair;
    private final MemoryRegion sendMessage;
    private final MemoryRegion receiveMessage;
    private final MemoryRegion localRegion;
    private final MemoryRegion remoteRegion;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final ReceiveWorkRequest receive = ReceiveWorkRequest.allocate(arena, 1);
    private final long id;

    private volatile SendState sendState = SendState.SS_INIT;
    private volatile ReceiveState receiveState = ReceiveState.RS_INIT;
    private volatile boolean memoryAnnounced;
    private boolean transferPosted;
    private ControlMessage peer = ControlMessage.done();

    /**
     * Builds the queue pair, registers the memory and posts the first receive.
     *
     * @param context what is shared
     * @param identifier the connection to be
     * @param mode which way to move data
     * @param text this side's text
     * @param out where to print
     */
    WriteReadConnection(
            SharedContext context,
            ConnectionIdentifier identifier,
            WriteReadMode mode,
            String text,
            PrintStream out) {
        this.context = context;
        this.identifier = identifier;
        this.mode = mode;
        this.out = out;
        pair = identifier.createQueuePair(context.domain(), context.queuePairOptions());
        sendMessage = context.domain().allocate(ControlMessage.SIZE);
        receiveMessage = context.domain().allocate(ControlMessage.SIZE, AccessFlag.LOCAL_WRITE);
        localRegion = context.domain().allocate(MessageText.BUFFER_SIZE, mode.localAccess());
        remoteRegion = context.domain().allocate(MessageText.BUFFER_SIZE, mode.remoteAccess());
        MessageText.put(ownText().memory(), text);
        // In C the work requests carry the connection's address; here they carry that of its
        // buffer.
        id = receiveMessage.address();
        context.add(id, this);
        postReceive();
    }

    Progress progress() {
        return progress;
    }

    /** Tells the peer where to write or read; {@code send_mr}. */
    void sendMemoryRegion() {
        memoryAnnounced = true;
        post(ControlMessage.ofRegion(remoteRegion), SendWorkRequest.SIGNALED);
    }

    /** In write mode the text comes from the local region, in read mode from the remote one. */
    private MemoryRegion ownText() {
        return mode == WriteReadMode.WRITE ? localRegion : remoteRegion;
    }

    private MemoryRegion peerText() {
        return mode == WriteReadMode.WRITE ? remoteRegion : localRegion;
    }

    private void postReceive() {
        progress.posting();
        pair.postReceive(receive.id(id).element(receiveMessage, 0, ControlMessage.SIZE));
    }

    private void post(ControlMessage message, int flags) {
        message.write(sendMessage.memory());
        send.opcode(SendOpcode.SEND).flags(flags);
        progress.posting();
        pair.postSend(send.id(id).element(sendMessage, 0, ControlMessage.SIZE));
    }

    @Override
    public void onCompletion(WorkCompletion completion) {
        try {
            print(completion);
            if (completion.status() == WorkCompletionStatus.SUCCESS) {
                onSuccess(completion);
            } else {
                onError(completion);
            }
        } catch (RuntimeException e) {
            onFailure(e);
        } finally {
            progress.completed();
        }
    }

    private void onSuccess(WorkCompletion completion) {
        if (completion.opcode().isReceive()) {
            onMessage(ControlMessage.read(receiveMessage.memory(), completion.length()));
        } else {
            sendState = sendState.next();
            out.println("send completed successfully.");
        }
        if (!transferPosted
                && sendState == SendState.SS_MR_SENT
                && receiveState != ReceiveState.RS_INIT) {
            transfer();
        } else if (isDone() && sendState == SendState.SS_DONE_SENT) {
            out.println("[LOG] " + mode + ": Both DONE, calling rdma_disconnect(conn->id)");
            printPeerText();
            identifier.disconnect();
        }
    }

    private void printPeerText() {
        out.println("remote buffer: " + MessageText.get(peerText().memory()));
    }

    private void onMessage(ControlMessage message) {
        receiveState = receiveState.next(message.type());
        if (message.type() == ControlMessage.Type.MSG_MR) {
            onPeerMemory(message);
        }
    }

    private void onPeerMemory(ControlMessage message) {
        if (message.length() < MessageText.BUFFER_SIZE) {
            throw new ExampleException(
                    "length in MSG_MR: "
                            + message.length()
                            + " (expected: at least "
                            + MessageText.BUFFER_SIZE
                            + ")");
        }
        peer = message;
        // Only MSG_DONE is still to come: one more receive is enough.
        postReceive();
        // Checks whether it was posted, not whether it completed: the peer's answer may be faster.
        if (!memoryAnnounced) {
            sendMemoryRegion();
        }
    }

    /** Posts the write or read, and MSG_DONE right after it. */
    private void transfer() {
        transferPosted = true;
        out.println("received MSG_MR. " + mode.announcement());
        out.println("[DEBUG] About to post RDMA " + mode);
        out.printf(
                Locale.ROOT,
                "[DEBUG] peer_mr.addr=0x%x, peer_mr.rkey=0x%x%n",
                peer.address(),
                peer.rkey());
        out.printf(
                Locale.ROOT,
                "[DEBUG] local_region=0x%x, lkey=0x%x%n",
                localRegion.address(),
                localRegion.lkey());
        send.opcode(mode.opcode())
                .flags(SendWorkRequest.SIGNALED)
                .remote(peer.address(), peer.rkey())
                .element(localRegion, 0, MessageText.BUFFER_SIZE);
        progress.posting();
        pair.postSend(send.id(id));
        post(ControlMessage.done(), mode.doneFlags());
    }

    /**
     * A flush completes what is still posted when the connection ends; whether that was too early
     * is checked then.
     */
    private void onError(WorkCompletion completion) {
        if (completion.status() == WorkCompletionStatus.WORK_REQUEST_FLUSHED) {
            progress.flushed();
        } else {
            String hint =
                    completion.status() == WorkCompletionStatus.REMOTE_ACCESS
                            ? "; does the peer run in the same mode?"
                            : "";
            throw new ExampleException(
                    "work request failed: status " + StatusText.of(completion) + hint);
        }
    }

    private void print(WorkCompletion completion) {
        out.printf(
                Locale.ROOT,
                "[on_completion] wr_id=0x%x, status=%s, opcode=%d, send_state=%d, recv_state=%d%n",
                completion.id(),
                StatusText.of(completion),
                completion.opcode().code(),
                sendState.code(),
                receiveState.code());
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

    /** Both transfers are over; at most the confirmation that the peer got MSG_DONE is missing. */
    private boolean isDone() {
        return sendState.hasTransferred() && receiveState == ReceiveState.RS_DONE_RECV;
    }

    /**
     * The connection has ended.
     *
     * @throws ExampleException if it ended before both sides were done
     */
    void onDisconnected() {
        if (isDone() && sendState != SendState.SS_DONE_SENT) {
            // The peer was done first, and its disconnect flushed this side's MSG_DONE, which it
            // had received.
            printPeerText();
        }
        out.printf(
                Locale.ROOT,
                "[LOG] destroy_connection called for conn=0x%x, id=0x%x%n",
                id,
                System.identityHashCode(identifier));
        progress.throwIfFailed();
        if (!isDone()) {
            throw new ExampleException(
                    "the peer disconnected too early, in " + sendState + " and " + receiveState);
        }
    }

    @Override
    public void close() {
        context.remove(id);
        identifier.close();
        remoteRegion.close();
        localRegion.close();
        receiveMessage.close();
        sendMessage.close();
        arena.close();
    }
}
