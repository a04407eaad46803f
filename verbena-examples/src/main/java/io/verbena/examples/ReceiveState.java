// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

/** How far receiving has come in the write/read programs, counted in completions. */
enum ReceiveState {
    /** Nothing was received. */
    RS_INIT(0),
    /** The peer's MSG_MR was received. */
    RS_MR_RECV(1),
    /** The peer's MSG_DONE was received. */
    RS_DONE_RECV(2);

    private final int code;

    ReceiveState(int code) {
        this.code = code;
    }

    /** {@return the number the programs print} */
    int code() {
        return code;
    }

    /**
     * {@return the state after a message}
     *
     * @param type what the message says
     * @throws ExampleException if it must not come now
     */
    ReceiveState next(ControlMessage.Type type) {
        if (this == RS_INIT && type == ControlMessage.Type.MSG_MR) {
            return RS_MR_RECV;
        }
        if (this == RS_MR_RECV && type == ControlMessage.Type.MSG_DONE) {
            return RS_DONE_RECV;
        }
        throw new ExampleException(
                "control message: " + type + " in " + this + " (expected: MSG_MR, then MSG_DONE)");
    }
}
