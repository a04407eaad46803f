// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.rpc.RpcError;
import java.util.HashMap;
import java.util.Map;

/**
 * The statuses of gRPC, and the table between them and brpc's error codes. Each status has one code
 * that clients see, and may have more codes that servers answer with it.
 */
enum GrpcStatus {
    OK(0, 0),
    CANCELLED(1, RpcError.ECANCELED.code()),
    /** Also every code of a service's own. */
    UNKNOWN(2, RpcError.EINTERNAL.code()),
    INVALID_ARGUMENT(3, RpcError.EINVAL.code(), RpcError.EREQUEST),
    DEADLINE_EXCEEDED(4, RpcError.ERPCTIMEDOUT.code(), RpcError.ETIMEDOUT),
    NOT_FOUND(5, RpcError.ENOENT.code()),
    ALREADY_EXISTS(6, Errno.EEXIST),
    PERMISSION_DENIED(7, Errno.EPERM, RpcError.EREJECT),
    RESOURCE_EXHAUSTED(8, RpcError.ELIMIT.code()),
    FAILED_PRECONDITION(9, RpcError.EINVAL.code()),
    ABORTED(10, RpcError.EINTERNAL.code()),
    OUT_OF_RANGE(11, Errno.ERANGE),
    UNIMPLEMENTED(12, RpcError.ENOMETHOD.code(), RpcError.ENOSERVICE),
    INTERNAL(
            13,
            RpcError.EINTERNAL.code(),
            RpcError.EINTERNAL,
            RpcError.ERESPONSE,
            RpcError.EPROTO,
            RpcError.EHTTP,
            RpcError.ETOOMANYFAILS,
            RpcError.ERDMA,
            RpcError.ERDMAMEM),
    /** ELIMIT as well, as in brpc: another server may have room. */
    UNAVAILABLE(
            14,
            RpcError.ELOGOFF.code(),
            RpcError.ELIMIT,
            RpcError.EOVERCROWDED,
            RpcError.EFAILEDSOCKET,
            RpcError.EEOF,
            RpcError.ECLOSE,
            RpcError.EPIPE,
            RpcError.ENODATA,
            RpcError.ENETUNREACH,
            RpcError.ECONNRESET,
            RpcError.ECONNREFUSED,
            RpcError.EHOSTDOWN,
            RpcError.EHOSTUNREACH,
            RpcError.EH2RUNOUTSTREAMS,
            RpcError.ESSL),
    DATA_LOSS(15, RpcError.ERESPONSE.code()),
    UNAUTHENTICATED(16, RpcError.ERPCAUTH.code());

    /** Linux's numbers that {@link RpcError} has no names for. */
    private static final class Errno {
        static final int EPERM = 1;
        static final int EEXIST = 17;
        static final int ERANGE = 34;
    }

    private static final GrpcStatus[] ALL = values();
    private static final Map<Integer, GrpcStatus> BY_ERROR = new HashMap<>();

    static {
        for (GrpcStatus status : ALL) {
            for (RpcError error : status.errors) {
                BY_ERROR.put(error.code(), status);
            }
        }
        for (GrpcStatus status : ALL) {
            BY_ERROR.putIfAbsent(status.errorCode, status);
        }
    }

    private final int code;
    private final int errorCode;

    @SuppressWarnings("ImmutableEnumChecker") // never written after construction
    private final RpcError[] errors;

    GrpcStatus(int code, int errorCode, RpcError... errors) {
        this.code = code;
        this.errorCode = errorCode;
        this.errors = errors;
    }

    /** {@return its number on the wire} */
    int code() {
        return code;
    }

    /** {@return brpc's code that a client sees} */
    int errorCode() {
        return errorCode;
    }

    /** {@return the status with a number; UNKNOWN if there is none} */
    static GrpcStatus of(int code) {
        return code >= 0 && code < ALL.length ? ALL[code] : UNKNOWN;
    }

    /** {@return the status that a server answers with} */
    static GrpcStatus ofError(int errorCode) {
        return BY_ERROR.getOrDefault(errorCode, UNKNOWN);
    }

    /** {@return what a client makes of an answer without a status: of its HTTP status} */
    static GrpcStatus ofHttp(int httpStatus) {
        return switch (httpStatus) {
            case 400 -> INTERNAL;
            case 401 -> UNAUTHENTICATED;
            case 403 -> PERMISSION_DENIED;
            case 404 -> UNIMPLEMENTED;
            case 429, 502, 503, 504 -> UNAVAILABLE;
            default -> UNKNOWN;
        };
    }
}
