// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** A blocking connect or accept did not end in a connection. */
public class ConnectionException extends VerbsException {
    private static final long serialVersionUID = 1L;

    private final transient ConnectionEvent event;

    /**
     * A failure reported by an event.
     *
     * @param verb the C name of the verb that failed
     * @param errno a positive error number
     * @param detail what went wrong and what to do
     * @param event the event that reported it
     */
    public ConnectionException(String verb, int errno, String detail, ConnectionEvent event) {
        super(verb, errno, detail);
        this.event = event;
    }

    /**
     * {@return the event that reported the failure; its parameters hold the peer's private data}
     */
    public ConnectionEvent event() {
        return event;
    }
}
