// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

/**
 * A call that arrived over some protocol, of a method with many requests, many responses, or both.
 * The protocol passes it to {@link ServerConnection#accept} like any other call, which makes the
 * same checks, and the server calls it: {@link #prepare}, {@link #decode} if the method has one
 * request, {@link #open} before the service runs, and at the end {@link #answer}.
 *
 * <p>If {@link #answer} is called without {@link #open}, the call was refused. After {@link #open}
 * it ends the stream of responses: with the outcome of the call and, if the method has one response
 * and has not failed, that response; if it has many, the response is an empty message without
 * meaning.
 */
public interface ServerStreamRequest extends ServerRequest, ServerStreams {}
