// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.verbena.memory.BlockPool;
import java.util.Objects;
import java.util.Optional;

/**
 * The controller of a call that this process makes: settings of the call, which override those of
 * its channel, and statistics about it. Created by {@link Channel#controller}.
 */
public final class ClientController extends Controller implements ClientCall {
    private static final int UNSET = Integer.MIN_VALUE;

    private volatile Optional<CallEngine> engine = Optional.empty();
    private volatile long id;

    /** Cancels a call with streams; null if it has none. */
    private volatile Runnable canceler;

    private long latencyNs;
    private long requestCode;
    private boolean hasRequestCode;

    /** The method of the call; null before it begins. */
    private MethodDescriptor method;

    private int timeoutMs = UNSET;
    private int maxRetry = UNSET;
    private int backupRequestMs = UNSET;
    private int retriedCount;
    private CompressType requestCompressType = CompressType.NONE;
    private CompressType responseCompressType = CompressType.NONE;
    private ContentType contentType = ContentType.PROTOBUF;
    private boolean hasRequestChecksum;
    private boolean hasResponseChecksum;
    private boolean hasBackupRequest;

    /** Makes streams of bytes. */
    private final StreamTimer timer;

    /** The streams that the call opens; null if none. */
    private RequestStreams streams;

    ClientController(BlockPool pool, StreamTimer timer) {
        super(pool);
        this.timer = timer;
    }

    @Override
    public ByteStream createStream(ByteStreamOptions options) {
        if (streams == null) {
            streams = new RequestStreams();
        }
        CallByteStream stream = new CallByteStream(pool(), timer, options);
        stream.openedBy(streams.add(options, stream));
        return stream;
    }

    /** {@return the streams that the call opens, or null if none} */
    RequestStreams streams() {
        return streams;
    }

    void streams(RequestStreams opened) {
        streams = opened;
    }

    /** {@return whether the time limit is only that of opening streams} */
    boolean isOnlyOpening() {
        return canceler != null && streams != null && timeoutMs == UNSET;
    }

    @Override
    void outcome(int code, String text) {
        super.outcome(code, text);
        if (code != 0 && streams != null) {
            streams.fail(code, text);
        }
    }

    /** A call begins. */
    void begin(CallEngine owner, long callId) {
        // the id first: a thread that sees the engine also sees an id, and an old id finds no call
        id = callId;
        if (engine.isEmpty()) {
            engine = Optional.of(owner);
        }
    }

    /** A call with streams begins: how to cancel it. */
    void begin(Runnable cancelStreams) {
        canceler = cancelStreams;
    }

    @Override
    public void reset() {
        super.reset();
        canceler = null;
        streams = null;
        latencyNs = 0;
        requestCode = 0;
        hasRequestCode = false;
        timeoutMs = UNSET;
        maxRetry = UNSET;
        backupRequestMs = UNSET;
        retriedCount = 0;
        requestCompressType = CompressType.NONE;
        responseCompressType = CompressType.NONE;
        contentType = ContentType.PROTOBUF;
        hasRequestChecksum = false;
        hasResponseChecksum = false;
        hasBackupRequest = false;
    }

    /** Cancels the call: it ends with ECANCELED, unless it has already ended. Any thread. */
    @Override
    public void startCancel() {
        Runnable streams = canceler;
        if (streams != null) {
            streams.run();
        } else {
            cancelTries();
        }
    }

    /** Cancels what the engine is doing for the call. */
    void cancelTries() {
        engine.ifPresent(owner -> owner.cancel(id));
    }

    /** Makes the settings those of a call of which this one is a part. */
    void inherit(ClientController whole) {
        timeoutMs = whole.timeoutMs;
        maxRetry = whole.maxRetry;
        backupRequestMs = whole.backupRequestMs;
        requestCode = whole.requestCode;
        hasRequestCode = whole.hasRequestCode;
        requestCompressType = whole.requestCompressType;
        contentType = whole.contentType;
        hasRequestChecksum = whole.hasRequestChecksum;
        logId(whole.logId());
        if (whole.hasExtras()) {
            requestId(whole.requestId());
            requestUserFields().putAll(whole.requestUserFields());
        }
        if (whole.hasRequestAttachment()) {
            requestAttachment().append(whole.requestAttachment());
        }
    }

    /** Takes over the outcome of a part, and what came along with its response. */
    void take(ClientController part) {
        try {
            copy(part);
        } finally {
            part.close();
        }
    }

    private void copy(ClientController part) {
        outcome(part.errorCode(), part.errorText());
        responseCompressType = part.responseCompressType;
        hasResponseChecksum = part.hasResponseChecksum;
        hasBackupRequest = part.hasBackupRequest;
        copyConnection(part);
        if (part.hasExtras()) {
            responseUserFields().putAll(part.responseUserFields());
        }
        if (part.hasResponseAttachment()) {
            responseAttachment().append(part.responseAttachment());
        }
    }

    /** {@return the time limit of the call over all tries, or that of its channel} */
    int timeoutMs(int otherwise) {
        return timeoutMs == UNSET ? otherwise : timeoutMs;
    }

    @Override
    public void setTimeoutMs(int value) {
        timeoutMs = value;
    }

    int maxRetry(int otherwise) {
        return maxRetry == UNSET ? otherwise : maxRetry;
    }

    @Override
    public void setMaxRetry(int value) {
        maxRetry = value;
    }

    int backupRequestMs(int otherwise) {
        return backupRequestMs == UNSET ? otherwise : backupRequestMs;
    }

    @Override
    public void setBackupRequestMs(int value) {
        backupRequestMs = value;
    }

    @Override
    public void setRequestCode(long value) {
        requestCode = value;
        hasRequestCode = true;
    }

    boolean hasRequestCode() {
        return hasRequestCode;
    }

    long requestCode() {
        return requestCode;
    }

    void method(MethodDescriptor value) {
        method = value;
    }

    MethodDescriptor method() {
        return method;
    }

    @Override
    public void setLogId(long value) {
        logId(value);
    }

    @Override
    public void setRequestId(String value) {
        requestId(value);
    }

    /** {@return how the request is compressed} */
    public CompressType requestCompressType() {
        return requestCompressType;
    }

    @Override
    public void setRequestCompressType(CompressType value) {
        requestCompressType = Objects.requireNonNull(value, "value");
    }

    /** {@return whether the request carries a CRC-32C} */
    public boolean hasRequestChecksum() {
        return hasRequestChecksum;
    }

    @Override
    public void setRequestChecksum(boolean value) {
        hasRequestChecksum = value;
    }

    @Override
    public void setContentType(ContentType value) {
        contentType = Objects.requireNonNull(value, "value");
    }

    ContentType contentType() {
        return contentType;
    }

    @Override
    public CompressType responseCompressType() {
        return responseCompressType;
    }

    @Override
    public boolean hasResponseChecksum() {
        return hasResponseChecksum;
    }

    /** The answer has arrived. */
    void answered(CompressType compression, boolean hasChecksum) {
        responseCompressType = compression;
        hasResponseChecksum = hasChecksum;
    }

    @Override
    public long latencyUs() {
        return latencyNs / 1000;
    }

    void latencyNs(long value) {
        latencyNs = value;
    }

    @Override
    public int retriedCount() {
        return retriedCount;
    }

    void retriedCount(int value) {
        retriedCount = value;
    }

    @Override
    public boolean hasBackupRequest() {
        return hasBackupRequest;
    }

    void hasBackupRequest(boolean value) {
        hasBackupRequest = value;
    }
}
