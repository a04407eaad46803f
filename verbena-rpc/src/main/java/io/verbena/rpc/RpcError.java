// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Why a call failed. Names and codes are brpc's; those below 1000 are Linux's. A service may also
 * fail with a code of its own.
 */
public enum RpcError {
    /** Not found. */
    ENOENT(2),
    /** There is no memory to receive into. */
    ENOMEM(12),
    /** An argument is invalid. */
    EINVAL(22),
    /** The connection was closed while something was written to it. */
    EPIPE(32),
    /** There is no server at all. */
    ENODATA(61),
    /** The peer broke the protocol. */
    EPROTO(71),
    /** The network cannot be reached. */
    ENETUNREACH(101),
    /** The peer reset the connection. */
    ECONNRESET(104),
    /** Connecting took longer than its time limit. */
    ETIMEDOUT(110),
    /** No process listens on that port. */
    ECONNREFUSED(111),
    /** The host is down, or no server is available. */
    EHOSTDOWN(112),
    /** There is no route to the host. */
    EHOSTUNREACH(113),
    /** The caller canceled the call. */
    ECANCELED(125),
    /** There is no such service. */
    ENOSERVICE(1001),
    /** The service has no such method. */
    ENOMETHOD(1002),
    /** The request is malformed. */
    EREQUEST(1003),
    /** The credentials were refused. */
    ERPCAUTH(1004),
    /** Too many sub-calls of a combined call failed. */
    ETOOMANYFAILS(1005),
    /** A combined call is over. */
    EPCHANFINISH(1006),
    /** Time to send the backup request; never seen by users. */
    EBACKUPREQUEST(1007),
    /** The time limit of the call has passed. */
    ERPCTIMEDOUT(1008),
    /** The connection failed for a reason without its own code. */
    EFAILEDSOCKET(1009),
    /** The HTTP response reports a failure. */
    EHTTP(1010),
    /** Too many bytes are waiting to be written. */
    EOVERCROWDED(1011),
    /** An RTMP stream can be published. */
    ERTMPPUBLISHABLE(1012),
    /** An RTMP stream could not be created. */
    ERTMPCREATESTREAM(1013),
    /** The peer closed the connection. */
    EEOF(1014),
    /** The connection was idle for too long. */
    EUNUSED(1015),
    /** TLS failed. */
    ESSL(1016),
    /** No more streams can be opened on an HTTP/2 connection. */
    EH2RUNOUTSTREAMS(1017),
    /** The call was rejected while servers are recovering. */
    EREJECT(1018),
    /** A progressive read took too long. */
    EPROGREADTIMEOUT(1019),
    /** An internal error on this side. */
    EINTERNAL(2001),
    /** The response is malformed. */
    ERESPONSE(2002),
    /** The server is stopping. */
    ELOGOFF(2003),
    /** A limit of concurrent calls is reached. */
    ELIMIT(2004),
    /** This side closed the connection. */
    ECLOSE(2005),
    /** An error of Baidu's ITP. */
    EITP(2006),
    /** Nothing more can be written to the connection. */
    ESHUTDOWNWRITE(2007),
    /** A verb failed, or a work request completed with an error. */
    ERDMA(3001),
    /** The bytes are in memory that is not registered, or there is no registered memory left. */
    ERDMAMEM(3002);

    private static final Map<Integer, RpcError> BY_CODE =
            Arrays.stream(values())
                    .collect(Collectors.toUnmodifiableMap(RpcError::code, Function.identity()));

    private final int code;

    RpcError(int code) {
        this.code = code;
    }

    /** {@return brpc's code} */
    public int code() {
        return code;
    }

    /**
     * {@return the error with a code, if it has a name}
     *
     * @param code the code
     */
    public static Optional<RpcError> of(int code) {
        return Optional.ofNullable(BY_CODE.get(code));
    }
}
