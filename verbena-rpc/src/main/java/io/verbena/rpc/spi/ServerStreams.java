// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

/** The streams of a call on a server, as its protocol implements them. */
public interface ServerStreams {
    /**
     * The service is about to run. Called once, on the service's thread.
     *
     * @param events told of everything from now on, and at once of what has happened so far
     */
    void open(StreamEvents events);

    /** {@return the requests; asked for after {@link #open}, if the method has many} */
    MessageSource requests();

    /** {@return the responses; asked for after {@link #open}, if the method has many} */
    MessageSink responses();
}
