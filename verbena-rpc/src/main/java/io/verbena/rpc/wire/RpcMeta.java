// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The meta of a received frame: brpc's {@code RpcMeta} with its {@code RpcRequestMeta} or {@code
 * RpcResponseMeta}.
 *
 * <p>One object serves a connection: the next frame overwrites it, and its slices refer to the
 * array it was read from. Absent numbers are 0.
 *
 * <p>Threads: one at a time.
 */
public final class RpcMeta {
    static final int REQUEST = 1;
    static final int RESPONSE = 2;
    static final int COMPRESS_TYPE = 3;
    static final int CORRELATION_ID = 4;
    static final int ATTACHMENT_SIZE = 5;
    static final int AUTHENTICATION_DATA = 7;
    static final int STREAM_SETTINGS = 8;
    static final int USER_FIELDS = 9;
    static final int CONTENT_TYPE = 10;
    static final int CHECKSUM_TYPE = 11;
    static final int CHECKSUM_VALUE = 12;
    static final int CHECKSUM_WITH_ATTACHMENT = 13;
    static final int SERVICE_NAME = 1;
    static final int METHOD_NAME = 2;
    static final int LOG_ID = 3;
    static final int TRACE_ID = 4;
    static final int SPAN_ID = 5;
    static final int PARENT_SPAN_ID = 6;
    static final int REQUEST_ID = 7;
    static final int TIMEOUT_MS = 8;
    static final int ERROR_CODE = 1;
    static final int ERROR_TEXT = 2;
    static final int MAP_KEY = 1;
    static final int MAP_VALUE = 2;

    boolean hasRequest;
    boolean hasResponse;
    int compressType;
    long correlationId;
    int attachmentSize;
    int contentType;
    int checksumType;
    boolean isChecksumWithAttachment;
    long logId;
    long traceId;
    long spanId;
    long parentSpanId;
    int timeoutMs;
    int errorCode;
    final Slice serviceName = new Slice();
    final Slice methodName = new Slice();
    final Slice requestId = new Slice();
    final Slice errorText = new Slice();
    final Slice authentication = new Slice();
    final Slice streamSettings = new Slice();
    final Slice checksumValue = new Slice();

    private byte[] source = {};

    /** Start and length of each user field, alternating. */
    private int[] userFieldBounds = {};

    private int userFields;

    /** A meta without values. */
    public RpcMeta() {}

    void reset(byte[] bytes) {
        source = bytes;
        hasRequest = false;
        hasResponse = false;
        compressType = 0;
        correlationId = 0;
        attachmentSize = 0;
        contentType = 0;
        checksumType = 0;
        isChecksumWithAttachment = false;
        logId = 0;
        traceId = 0;
        spanId = 0;
        parentSpanId = 0;
        timeoutMs = 0;
        errorCode = 0;
        userFields = 0;
        serviceName.clear();
        methodName.clear();
        requestId.clear();
        errorText.clear();
        authentication.clear();
        streamSettings.clear();
        checksumValue.clear();
    }

    /** {@return whether all required fields are present} */
    boolean isComplete() {
        return !hasRequest || serviceName.isPresent() && methodName.isPresent();
    }

    void addUserField(int start, int length) {
        int at = userFields++ * 2;
        if (at == userFieldBounds.length) {
            userFieldBounds = Arrays.copyOf(userFieldBounds, Math.max(8, at * 2));
        }
        userFieldBounds[at] = start;
        userFieldBounds[at + 1] = length;
    }

    /** {@return whether it belongs to a request} */
    public boolean hasRequest() {
        return hasRequest;
    }

    /** {@return whether it belongs to a response} */
    public boolean hasResponse() {
        return hasResponse;
    }

    /** {@return how the payload is compressed; a constant of {@link Compression}} */
    public int compressType() {
        return compressType;
    }

    /** {@return the id that matches a response to its request} */
    public long correlationId() {
        return correlationId;
    }

    /** {@return how many bytes at the end of the body are attachment, as claimed by the peer} */
    public int attachmentSize() {
        return attachmentSize;
    }

    /** {@return the format of the payload; 0 means protobuf} */
    public int contentType() {
        return contentType;
    }

    /** {@return the type of checksum; 0 means none, 1 means CRC-32C} */
    public int checksumType() {
        return checksumType;
    }

    /** {@return the checksum} */
    public Slice checksumValue() {
        return checksumValue;
    }

    /** {@return whether the checksum also covers the attachment} */
    public boolean isChecksumWithAttachment() {
        return isChecksumWithAttachment;
    }

    /** {@return the full name of the service} */
    public Slice serviceName() {
        return serviceName;
    }

    /** {@return the name of the method} */
    public Slice methodName() {
        return methodName;
    }

    /** {@return a number that appears in the logs of both sides} */
    public long logId() {
        return logId;
    }

    /** {@return the trace it belongs to} */
    public long traceId() {
        return traceId;
    }

    /** {@return the span it belongs to} */
    public long spanId() {
        return spanId;
    }

    /** {@return the parent span} */
    public long parentSpanId() {
        return parentSpanId;
    }

    /** {@return a text that appears in the logs of both sides} */
    public Slice requestId() {
        return requestId;
    }

    /** {@return how long the client waits for the server; 0 if it does not say} */
    public int timeoutMs() {
        return timeoutMs;
    }

    /** {@return the error of a response, 0 if there is none} */
    public int errorCode() {
        return errorCode;
    }

    /** {@return what went wrong} */
    public Slice errorText() {
        return errorText;
    }

    /** {@return the credentials of the client} */
    public Slice authentication() {
        return authentication;
    }

    /** {@return the settings of the stream it opens, not decoded} */
    public Slice streamSettings() {
        return streamSettings;
    }

    /** {@return whether there are user fields} */
    public boolean hasUserFields() {
        return userFields > 0;
    }

    /** {@return the user fields; malformed ones are left out} */
    public Map<String, String> userFields() {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < userFields; i++) {
            MetaReader.readEntry(
                    source, userFieldBounds[2 * i], userFieldBounds[2 * i + 1], fields);
        }
        return fields;
    }

    @Override
    public String toString() {
        return (hasRequest ? "request " + serviceName + "/" + methodName : "response " + errorCode)
                + " correlation="
                + correlationId
                + " attachment="
                + attachmentSize;
    }
}
