// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

/**
 * What a protocol reports about a call with streams. The core implements this. Any thread may call
 * it; nothing here blocks, throws or runs user code.
 */
public interface StreamEvents {
    /**
     * The {@link MessageSource} has something new: a message, or its end. Cheap if called often.
     */
    void onReadable();

    /** The {@link MessageSink} has room again. */
    void onWritable();

    /**
     * The call is over for the peer. Messages that arrived before can still be polled; nothing can
     * be written any more. The first report counts.
     *
     * <p>On a client: the outcome, from the server or because the connection failed. On a server:
     * the client has canceled the call, or its connection has ended.
     *
     * @param code brpc's error code; 0 if a client's call has succeeded
     * @param text what went wrong; empty if nothing did
     */
    void onOver(int code, String text);
}
